import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../engine/collections/catalog.ts'
import type { Config } from '../platform/config.ts'
import { makeWorkerMember } from '../platform/jobs/worker-member.ts'
import { divideConfig } from '../platform/jobs/worker-share.ts'
import { createLogger } from '../platform/log.ts'
import { useProxy } from '../platform/outgoing/proxy.ts'
import { releaseMemoryWhenIdle } from '../platform/tools/release-memory.ts'
import { printLine } from './command-line.ts'
import { printAddresses } from './print-addresses.ts'
import { runServer } from './run-server.ts'
import type { RunningServer } from './serve-database.ts'
import { endAfter, stopOnSignal } from './stop-on-signal.ts'

/** How long a stop waits for a start in progress, which may already have started Postgres. */
const START_MS = 3_000

type Member = ReturnType<typeof makeWorkerMember>

/** Serves in this process, alone or as one of `count` workers. */
export async function serveInProcess(config: Config, count: number) {
  useProxy(config)
  const member = makeWorkerMember()
  const ready = serveAndPrintUrl(config, count, member)
  let stopped: Promise<void> | undefined
  const stop = async (way: 'stop' | 'retire') => {
    const server = await Promise.race([ready, sleep(START_MS)])
    stopped ??= server?.[way]()
    await stopped
  }
  stopOnSignal(() => stop('stop'))
  void member?.replaced.then(() => endAfter(() => stop('retire')))
  if (!member) process.on('SIGUSR2', () => printLine('SIGUSR2 replaces workers: set WORKERS'))
  await ready
  releaseMemoryWhenIdle()
}

async function serveAndPrintUrl(
  config: Config,
  count: number,
  member: Member,
): Promise<RunningServer> {
  const log = createLogger(config, undefined, member?.worker)
  const server = await runServer(divideConfig(config, count), log, member)
  if (member) member.serving(server.url)
  else {
    printLine(`pocketsms listens on ${server.url}`)
    printAddresses(config)
  }
  if (member && (member.worker > 1 || member.isReplacing)) return server
  await printInstallerLink(server.services.store.forEverybody('command'), config)
  // Node itself writes it at the end of a process, which a kill leaves out. After the first start: 6 ms
  flushCompileCache()
  return server
}

async function printInstallerLink(store: Store, config: Config) {
  const { makeInstallerLink } = await import('../engine/auth/superusers.ts')
  const link = await makeInstallerLink(store, config.publicUrl)
  if (!link) return
  printLine(
    'There is no superuser yet, who adds people on the page Users and their phones on Devices. If that fails: pocketsms doctor',
  )
  printLine(`Create the first superuser here, within 30 minutes:\n${link}`)
}
