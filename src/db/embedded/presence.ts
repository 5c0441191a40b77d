import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { LOCKS } from '../advisory-locks.ts'
import { isConnectionError } from '../errors.ts'
import { urlOf } from './cluster.ts'
import { endOrphans, endPostmaster, postmasterOf } from './postmaster.ts'
import type { Site } from './site.ts'
import { type Settings, type Started, startPostgres } from './start.ts'
import { GONE, refusedFor } from './why-not.ts'

const LOOK_MS = 25
const CONNECT_MS = 10_000
/** Connection attempts in a row that may time out before the postmaster is killed. */
const MAX_HANGS = 3
/** A killed postmaster's processes end within this time. */
const LOCKED_MS = 5_000
/** Time for a stop to write memory to a slow disk. */
const STOP_MS = 60_000

/** A connection with a shared lock, of each process that uses the Postgres. The last one stops it. */
export type Presence = pg.Client

/** Connects to the Postgres of a site; starts it if none runs. Throws a UserError when it does not start. */
export async function enter(site: Site, settings: Settings): Promise<Presence> {
  const began = Date.now()
  let started: Started | undefined
  for (let hangs = 0; ; await sleep(LOOK_MS)) {
    if (!existsSync(join(site.folder, 'PG_VERSION'))) throw GONE(site.folder)
    const pid = postmasterOf(site.folder)
    if (!pid && started?.hasEnded()) {
      if (!started.isLocked() || Date.now() - began > LOCKED_MS) throw started.failure()
      endOrphans(site.folder)
      started = undefined
      continue
    }
    if (!pid) started ??= startPostgres(site, settings)
    const tried = Date.now()
    try {
      return await connect(urlOf(site.folder))
    } catch (error) {
      const refusal = refusedFor(error, site.folder)
      if (refusal && started) await endPostmaster(site.folder)
      if (refusal || !isConnectionError(error)) throw refusal ?? error
      if (pid && Date.now() - tried >= CONNECT_MS && ++hangs === MAX_HANGS) await endPostmaster(site.folder)
    }
  }
}

/** Kills a Postgres that accepts no connection within `answerMs`. Returns whether it did. */
export async function endIfHanging({ folder }: Site, answerMs = CONNECT_MS): Promise<boolean> {
  const pid = postmasterOf(folder)
  for (let hangs = 0; hangs < MAX_HANGS; hangs++) {
    if (!pid || postmasterOf(folder) !== pid) return false
    const tried = Date.now()
    const client = clientOf(urlOf(folder), answerMs)
    await client.connect().catch(() => {})
    void client.end().catch(() => {})
    if (Date.now() - tried < answerMs) return false
  }
  await endPostmaster(folder)
  endOrphans(folder)
  return true
}

function clientOf(connectionString: string, connectionTimeoutMillis = CONNECT_MS): pg.Client {
  // a restored backup ends connections of `pocketsms…`
  const application_name = 'user of pocketsms'
  const client = new pg.Client({ connectionString, application_name, connectionTimeoutMillis })
  return client.on('error', () => {}) // `end` follows
}

async function connect(connectionString: string): Promise<Presence> {
  const client = clientOf(connectionString)
  try {
    await client.connect()
    await client.query(`select pg_advisory_lock_shared(${LOCKS.embedded})`)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

/** Ends a presence. The last one stops Postgres under the exclusive lock, so that no process can enter. */
export async function leave(site: Site, presence: Presence): Promise<void> {
  try {
    await presence.query(`select pg_advisory_unlock_shared(${LOCKS.embedded})`)
    const { rows } = await presence.query(`select pg_try_advisory_lock(${LOCKS.embedded}) as "isLast"`)
    if (rows[0].isLast) await endPostmaster(site.folder, STOP_MS)
  } catch (error) {
    if (!isConnectionError(error)) throw error
  } finally {
    await presence.end().catch(() => {})
  }
}
