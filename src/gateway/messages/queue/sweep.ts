import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import type { Config } from '../../../platform/config.ts'
import { LOCKS } from '../../../platform/db/advisory-locks.ts'
import { countChannelListeners } from '../../../platform/db/count-listeners.ts'
import type { Db } from '../../../platform/db/open.ts'
import { inSeconds, queries, tryLock } from '../../../platform/db/queries.ts'
import type { Logger } from '../../../platform/log.ts'
import { repeat } from '../../../platform/tools/repeat.ts'
import { pushWake } from '../../lines/push-wake.ts'
import { listenToOtherNodes, onUnheardWake, WAKE_CHANNEL, wakeDevices, wakeHere } from '../../lines/wake.ts'
import type { PushSettings } from '../../lines/web-push.ts'
import { countMessages } from '../message-totals.ts'
import { checkQueue } from './check-queue.ts'
import { extendAllLeases } from './leases.ts'
import {
  endExpired,
  endLineless,
  endOrphaned,
  endRefused,
  failExpiredLeases,
  reassignUnclaimed,
  releaseDue,
  retryExpiredLeases,
  returnStale,
  wakeUnclaimed,
} from './overdue.ts'

/**
 * Steps of a sweep, ordered so that no device is woken for an ended message, and that a refused text ends as
 * refused: it costs nothing. They return devices to wake.
 */
const SWEEPS: readonly ((db: Db, onlineSeconds: number, stickyDays: number) => Promise<readonly string[]>)[] =
  [
    failExpiredLeases,
    endRefused,
    endExpired,
    endOrphaned,
    retryExpiredLeases,
    returnStale,
    endLineless,
    releaseDue,
    reassignUnclaimed,
    wakeUnclaimed,
  ]
/** Steps for texts of silent devices. */
const BY_SILENCE: ReadonlySet<unknown> = new Set([failExpiredLeases, retryExpiredLeases, reassignUnclaimed])

/** Handles overdue messages. False if another node does. `silenceCounts`: false after a server's outage. */
export async function sweep(store: Store, deviceOnlineSeconds: number, silenceCounts = true, stickyDays = 0) {
  const steps = silenceCounts ? SWEEPS : SWEEPS.filter((step) => !BY_SILENCE.has(step))
  const devices = new Set<string>()
  const isOurs = await store.db.transaction(async (db) => {
    if (!(await tryLock(db, LOCKS.sweep))) return false
    for (const step of steps)
      for (const device of await step(db, deviceOnlineSeconds, stickyDays)) devices.add(device)
    return true
  })
  wakeDevices(store.db, [...devices])
  return isOurs
}

async function deleteExpiredRows({ db }: Store) {
  await queries(db).deleteFrom('device_handouts').where('at', '<', inSeconds(-86_400)).execute()
  await queries(db).deleteFrom('device_pairings').where('expires_at', '<', inSeconds(0)).execute()
  await queries(db).deleteFrom('device_streams').where('until', '<', inSeconds(0)).execute()
  // forget sent automatic answers that neither the daily limit nor a pause counts any more
  await queries(db)
    .deleteFrom('auto_answers_sent as s')
    .where('s.at', '<', inSeconds(-86_400))
    .where(
      sql<boolean>`not exists (
        select from auto_answers a where a.id = s.answer and s.at > now() - a.pause_hours * interval '1 hour')`,
    )
    .execute()
}

type QueueSettings = PushSettings & Pick<Config, 'deviceOnlineSeconds' | 'leaseSeconds' | 'stickyDays'>

const SWEEP_MS = 1_000
/** Maximum time for devices to report after an outage of this server. The SMSGate app retries every 60 s. */
const MAX_GRACE_MS = 90_000
/** After an outage, devices get as long as this many leases to report, but at most MAX_GRACE_MS. */
const GRACE_LEASES = 3
const SWEEP_OUT_MS = 60_000

const readWaitingDevices = (db: Db) =>
  queries(db)
    .selectFrom(sql<{ device: string }>`sms_queued_devices()`.as('p'))
    .select('p.device')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('sms_dispatch as d')
          .whereRef('d.device', '=', 'p.device')
          .where('d.state', '=', sql.lit('assigned')),
      ),
    )
    .execute()

/** Starts sweeps of the queue and wake-ups; wakes devices that have messages. Returns a stop function. */
export async function startQueue(store: Store, settings: QueueSettings, log: Logger) {
  await countMessages(store.db)
  const stopListening = await listenToOtherNodes(store.db)
  let checked = ''
  const checkNext = async () => {
    checked = await checkQueue(store, checked)
  }
  const stops = [
    onUnheardWake((devices) => pushWake(store, settings, log, devices), log),
    stopListening,
    repeat(sweeper(store, settings), SWEEP_MS, log),
    repeat(() => analyzeOutgrown(store), SWEEP_MS, log),
    repeat(() => deleteExpiredRows(store), SWEEP_OUT_MS, log),
    repeat(checkNext, SWEEP_OUT_MS, log),
  ]
  wakeHere((await readWaitingDevices(store.db)).map(({ device }) => device))
  return async () => {
    for (const stop of stops) await stop()
  }
}

/** Returns a function that sweeps. For a while after a start or outage, it ignores devices' silence. */
function sweeper(store: Store, { deviceOnlineSeconds, leaseSeconds, stickyDays }: QueueSettings) {
  const graceMs = Math.min(MAX_GRACE_MS, GRACE_LEASES * leaseSeconds * 1000)
  let wellSince: number | undefined
  let wasAway = async () => (await countChannelListeners(store.db, WAKE_CHANNEL)) <= 1
  return async () => {
    try {
      if (wellSince === undefined && (await wasAway())) await extendAllLeases(store.db, graceMs / 1000)
      wellSince ??= performance.now()
      await sweep(store, deviceOnlineSeconds, performance.now() - wellSince > graceMs, stickyDays)
    } catch (error) {
      wellSince = undefined
      wasAway = async () => true
      throw error
    }
  }
}

/** Tables that may grow from empty to large within a minute, before autovacuum runs. */
const TABLES = [
  'sms_messages',
  'sms_dispatch',
  'sms_events',
  'webhook_deliveries',
  'webhook_dispatch',
  'webhook_payloads',
  'conversations',
  '_changes',
]
/** Tables between these sizes, in pages, are analyzed. Small ones are fast; autovacuum handles large ones. */
const [FEW_PAGES, MANY_PAGES] = [4, 5_000]

/** Analyzes tables that grew by half: plans that Postgres made for an empty table would read all rows. */
export async function analyzeOutgrown({ db }: Store): Promise<void> {
  const grown = await queries(db)
    .selectFrom(sql<{ oid: number }>`pg_class`.as<'c'>(sql`c`))
    .select(sql<string>`c.oid::regclass::text`.as('name'))
    .where(sql`c.oid`, '=', sql`any(array(select to_regclass(t) from unnest(${TABLES}::text[]) t))`)
    .where(sql<boolean>`c.relpages < ${sql.lit(MANY_PAGES)} and pg_relation_size(c.oid)
      > greatest(${sql.lit(FEW_PAGES)}, c.relpages * 1.5) * current_setting('block_size')::int`)
    .execute()
  // names from the system catalog, already quoted
  if (grown.length > 0) await db.script(`analyze (skip_locked) ${grown.map(({ name }) => name).join(', ')}`)
}
