import { listInheritedSockets } from '../http/server/inherited-sockets.ts'
import type { Config } from '../platform/config.ts'
import { startSupervisor } from '../platform/jobs/supervisor.ts'
import { createLogger } from '../platform/log.ts'
import { printLine } from './command-line.ts'
import { printAddresses } from './print-addresses.ts'
import { stopOnSignal } from './stop-on-signal.ts'

/**
 * Runs this process as the parent of workers, which SIGUSR2 replaces. (A closed terminal sends SIGHUP.) The
 * first worker migrates the database.
 */
export async function superviseWorkers(config: Config, count: number) {
  const { stopDelaySeconds } = config
  const isInherited = listInheritedSockets().length > 0
  const env = { WORKERS: String(count), ...(isInherited && { LISTEN_PID: String(process.pid) }) }
  const options = { count, stopDelaySeconds, env, isInherited }
  const supervisor = startSupervisor(options, createLogger(config))
  stopOnSignal(() => supervisor.stop())
  const starting = supervisor.start()
  const replace = async () => {
    await starting
    const isDone = await supervisor.replace()
    printLine(isDone ? 'Replaced the workers' : 'A new worker did not start: the others stay')
  }
  process.on('SIGUSR2', () => {
    printLine('SIGUSR2: replacing the workers')
    void replace()
  })
  const begun = await starting
  if ('exitCode' in begun) process.exitCode = begun.exitCode
  else {
    printLine(`pocketsms listens on ${begun.url}, with ${count} workers`)
    printAddresses(config)
  }
}
