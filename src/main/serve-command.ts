import cluster from 'node:cluster'
import { defineCommand } from 'citty'
import { requireFreePort } from '../http/server/free-port.ts'
import { listInheritedSockets } from '../http/server/inherited-sockets.ts'
import { readConfig } from '../platform/config.ts'
import { chooseWorkerCount } from '../platform/jobs/worker-share.ts'

export const serve = defineCommand({
  async run() {
    const config = readConfig(process.env)
    const count = chooseWorkerCount(config)
    // before a database is made, which another port would not need
    if (cluster.isPrimary && listInheritedSockets().length === 0) await requireFreePort(config)
    // the parent of workers needs few modules, and so little memory
    if (count && cluster.isPrimary) {
      const { superviseWorkers } = await import('./supervise-workers.ts')
      await superviseWorkers(config, count)
    } else {
      const { serveInProcess } = await import('./serve-in-process.ts')
      await serveInProcess(config, count ?? 1)
    }
  },
})
