import cluster from 'node:cluster'
import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineCommand } from 'citty'
import { renderUnicodeCompact } from 'uqr'
import type { Store } from '../engine/collections/catalog.ts'
import { requireFreePort } from '../http/server/free-port.ts'
import { runProgramCommand } from '../platform/api-errors.ts'
import { type Config, isLoopback, readConfig } from '../platform/config.ts'
import { startSupervisor } from '../platform/jobs/supervisor.ts'
import { makeWorkerMember } from '../platform/jobs/worker-member.ts'
import { chooseWorkerCount, divideConfig } from '../platform/jobs/worker-share.ts'
import { createLogger } from '../platform/log.ts'
import { onStopSignal } from '../platform/tools/stop-signal.ts'
import { printLine } from './command-line.ts'
import { advisePhoneAccess } from './doctor-network.ts'
import { runServer } from './run-server.ts'
import type { RunningServer } from './serve-database.ts'

async function printInstallerLink(store: Store, config: Config) {
  const { makeInstallerLink } = await import('../engine/auth/superusers.ts')
  const link = await makeInstallerLink(store, config.publicUrl)
  if (!link) return
  printLine(
    'There is no superuser yet, who adds people on the page Users and their phones on Devices. If that fails: pocketsms doctor',
  )
  printLine(`Create the first superuser here, within 30 minutes:\n${link}`)
}

function stopOnSignal(stop: () => Promise<void>) {
  onStopSignal((signal) => {
    // with several workers, the parent prints it
    if (!cluster.isWorker) printLine(`${signal}: finishing what runs`)
    void runProgramCommand(async () => {
      await stop()
      process.exit(0)
    })
  })
}

function printAddresses(config: Config): void {
  const { urls, publicUrl } = config
  if (isLoopback(publicUrl)) {
    printLine(`Only this computer reaches it. ${advisePhoneAccess(config)}`)
    return
  }
  for (const url of urls) printLine(`Phones reach it at ${url}`)
  const page = `${publicUrl}/#/devices?add=1`
  printLine(`Add a phone: ${page}`)
  if (process.stdout.isTTY) printLine(renderUnicodeCompact(page))
}

/** How long a stop waits for a start in progress, which may already have started Postgres. */
const START_MS = 3_000

async function serveInProcess(config: Config, count: number) {
  const ready = serveAndPrintUrl(config, count)
  stopOnSignal(async () => {
    const server = await Promise.race([ready, sleep(START_MS)])
    await server?.stop()
  })
  await ready
}

async function serveAndPrintUrl(config: Config, count: number): Promise<RunningServer> {
  const member = makeWorkerMember()
  const log = createLogger(config, undefined, member?.worker)
  const server = await runServer(divideConfig(config, count), log, member)
  if (member) member.serving(server.url)
  else {
    printLine(`pocketsms listens on ${server.url}`)
    printAddresses(config)
  }
  if (member && member.worker > 1) return server
  await printInstallerLink(server.services.store.forEverybody('command'), config)
  // Node itself writes it at the end of a process, which a kill leaves out. After the first start: 6 ms
  flushCompileCache()
  return server
}

/** Runs this process as the parent of several workers. The first worker migrates the database. */
async function superviseWorkers(config: Config, count: number) {
  const { stopDelaySeconds } = config
  const env = { WORKERS: String(count) }
  const supervisor = startSupervisor({ count, stopDelaySeconds, env }, createLogger(config))
  stopOnSignal(() => supervisor.stop())
  const begun = await supervisor.start()
  if ('exitCode' in begun) process.exitCode = begun.exitCode
  else {
    printLine(`pocketsms listens on ${begun.url}, with ${count} workers`)
    printAddresses(config)
  }
}

export const serve = defineCommand({
  async run() {
    const config = readConfig(process.env)
    const count = chooseWorkerCount(config)
    // before a database is made, which another port would not need
    if (cluster.isPrimary) await requireFreePort(config)
    await (count > 1 && cluster.isPrimary ? superviseWorkers : serveInProcess)(config, count)
  },
})
