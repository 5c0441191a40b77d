import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { LOCKS } from '../advisory-locks.ts'
import { isConnectionError } from '../errors.ts'
import { urlOf } from './cluster.ts'
import { endOrphans, endPostmaster, postmasterOf } from './postmaster.ts'
import type { Site } from './site.ts'
import { type Settings, Started } from './start.ts'

const LOOK_MS = 25
const CONNECT_MS = 10_000
/** Connection attempts that time out before the postmaster is ended. */
const MAX_HANGS = 3
/** Processes of a killed postmaster end by then. */
const LOCKED_MS = 5_000
/** For what is in memory to reach a slow disk. */
const STOP_MS = 60_000

/** A connection with a shared lock, of each process that uses the Postgres. The last one stops it. */
export type Presence = pg.Client

/** Connects to the Postgres of a site; starts it if none runs. Throws a UserError when it does not start. */
export async function enter(site: Site, settings: Settings): Promise<Presence> {
  const began = Date.now()
  let started: Started | undefined
  for (let hangs = 0; ; await sleep(LOOK_MS)) {
    const pid = postmasterOf(site.folder)
    if (!pid && started?.hasEnded) {
      if (!started.isLocked || Date.now() - began > LOCKED_MS) throw started.failure
      endOrphans(site.folder)
      started = undefined
      continue
    }
    if (!pid) started ??= new Started(site, settings)
    const tried = Date.now()
    try {
      return await connect(urlOf(site.folder))
    } catch (error) {
      if (!isConnectionError(error)) throw error
      if (pid && Date.now() - tried >= CONNECT_MS && ++hangs === MAX_HANGS) await endPostmaster(site.folder)
    }
  }
}

async function connect(connectionString: string): Promise<Presence> {
  const client = new pg.Client({
    connectionString,
    application_name: 'user of pocketsms', // a restored backup ends connections of `pocketsms…`
    connectionTimeoutMillis: CONNECT_MS,
  })
  client.on('error', () => {}) // `end` follows
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
