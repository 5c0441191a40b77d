import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { childrenOf } from '../../support/database/embedded-data.ts'

/** A primary and a synchronous standby. A strike resolves when a primary is there again. */
export interface Cluster {
  /** Two ways to the primary: all hosts in one URL, and a front that closes no connection. */
  readonly databaseUrls: readonly [string, string]
  /** No server may refuse messages for longer. */
  readonly maxOutageMs: number
  /** What can happen to the primary, by name. */
  readonly strikes: Readonly<Record<string, () => Promise<void>>>
  /** Lets a primary that stood still go on, and waits until there is a synchronous standby again. */
  repair(): Promise<void>
  stop(): Promise<void>
}

/** How long a disk stays full, after the first time that it was. */
export const FULL_MS = 5_000

/** Ids of a Postgres' processes, the postmaster first; none when it does not run. */
export function processesIn(dataFolder: string): number[] {
  try {
    const postmaster = Number.parseInt(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8'), 10)
    return [postmaster, ...childrenOf(postmaster)]
  } catch {
    return []
  }
}

/** Sends a signal to processes of which some may have ended. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {}
  }
}
