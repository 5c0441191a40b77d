import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { LOCKS } from '../../db/advisory-locks.ts'
import type { Db } from '../../db/open.ts'
import { countChannelListeners } from '../../db/server.ts'
import { textsOf } from '../../db/statement.ts'
import type { Logger } from '../../log.ts'
import { repeat } from '../../tools/repeat.ts'
import { type PushSettings, pushWake } from '../devices/reach.ts'
import { idMayBecome, REASONS } from '../status.ts'
import { countMessages } from '../usage.ts'
import { listenToOtherNodes, onUnheardWake, WAKE_CHANNEL, wakeDevices, wakeHere } from '../wake.ts'
import { extendAllLeases } from './claim.ts'
import { failMessages } from './fail-or-reassign.ts'
import { endOptedOut } from './opt-out.ts'
import {
  DEVICES_IN_QUEUE,
  endExpired,
  endLineless,
  endOrphaned,
  failExpiredLeases,
  reassignUnclaimed,
  releaseDue,
  retryExpiredLeases,
  returnStale,
  wakeUnclaimed,
} from './overdue.ts'

/** Steps of a sweep, ordered so that no device is woken for an ended message. They return devices to wake. */
const SWEEPS: readonly ((db: Db, onlineSeconds: number, stickyDays: number) => Promise<readonly string[]>)[] =
  [
    failExpiredLeases,
    endExpired,
    endOrphaned,
    retryExpiredLeases,
    endOptedOut,
    returnStale,
    endLineless,
    releaseDue,
    reassignUnclaimed,
    wakeUnclaimed,
  ]
const JUDGING: ReadonlySet<unknown> = new Set([failExpiredLeases, retryExpiredLeases, reassignUnclaimed])

/** Handles overdue messages. False if another node does. `silenceCounts`: false after a server's outage. */
export async function sweep(store: Store, deviceOnlineSeconds: number, silenceCounts = true, stickyDays = 0) {
  const steps = silenceCounts ? SWEEPS : SWEEPS.filter((step) => !JUDGING.has(step))
  const devices = new Set<string>()
  const isOurs = await store.db.transaction(async (db) => {
    const { rows } = await db.query('select pg_try_advisory_xact_lock($1)', [LOCKS.sweep])
    if (!rows[0]![0]) return false
    for (const step of steps)
      for (const device of await step(db, deviceOnlineSeconds, stickyDays)) devices.add(device)
    return true
  })
  wakeDevices(store.db, [...devices])
  return isOurs
}

async function deleteExpiredRows({ db }: Store) {
  await db.query(`delete from device_handouts where at < now() - interval '1 day'`)
  await db.query('delete from device_pairings where expires_at < now()')
  await db.query('delete from device_streams where until < now()')
  // forget sent automatic answers that neither the daily limit nor a pause counts any more
  await db.query(`delete from auto_answers_sent s where s.at < now() - interval '24 hours' and not exists (
    select from auto_answers a where a.id = s.answer and s.at > now() - a.pause_hours * interval '1 hour')`)
}

/** Queue rows per check, which takes 20 ms. */
const MAX_CHECKED = 5_000

const NEXT = `select message from sms_dispatch where message > $1 order by message limit ${MAX_CHECKED}`
/** Deletes queue rows of messages that were deleted, or ended by a superuser. */
const DROP = `
delete from sms_dispatch d where d.message = any($1::text[]) and not ${idMayBecome('d.message', 'assigned')}`
/** Takes messages from devices that another user owns now. A sweep finds no device `-` and reassigns them. */
const GIVEN_AWAY = `
update sms_dispatch d set device = '-' from devices v
where d.message = any($1::text[]) and v.id = d.device and v."user" <> d."user" and d.state <> 'sending'`

/** Checks queue rows after the id `after`, on one node at a time. Returns the last id, or '' at the end. */
export function checkQueue({ db }: Store, after = ''): Promise<string> {
  return db.transaction(async (tx) => {
    const { rows: lock } = await tx.query('select pg_try_advisory_xact_lock($1)', [LOCKS.queueCheck])
    if (!lock[0]![0]) return after
    const messages = textsOf(await tx.query(NEXT, [after], 'sms check queue'))
    await tx.query(DROP, [messages], 'sms drop orphans')
    await tx.query(GIVEN_AWAY, [messages], 'sms given away')
    return messages.length < MAX_CHECKED ? '' : messages.at(-1)!
  })
}

const BATCH = 5_000
const ANY = {
  name: 'restored',
  sql: `select * from sms_dispatch order by message limit ${BATCH} for update`,
}

/**
 * Fails unfinished campaigns of a restored backup, because messages may have been sent since the backup.
 * Pauses repeating campaigns instead.
 */
const END_CAMPAIGNS = `
update campaigns set status = case when coalesce(repeat::text, 'null') = 'null' then 'failed' else 'paused' end, error = $1, settled = true, audience = '[]', updated = pb_text(now())
where status in ('scheduled', 'repeating', 'sending', 'paused')`

/** Fails unfinished messages and campaigns of a restored backup: they may have been sent since the backup. */
export async function endUnfinished(db: Db): Promise<number> {
  await db.query(END_CAMPAIGNS, [REASONS.restored])
  let ended = 0
  for (;;) {
    const { rows } = await db.query('select exists (select from sms_dispatch)')
    if (rows[0]![0] !== true) return ended
    const paid = await failMessages(db, ANY, REASONS.restored)
    for (const [, , messages] of paid) ended += Number(messages)
  }
}

type DeliverySettings = PushSettings & Pick<Config, 'deviceOnlineSeconds' | 'leaseSeconds' | 'stickyDays'>

const SWEEP_MS = 1_000
/** Maximum time for devices to report after an outage of this server. The SMSGate app retries every 60 s. */
const MAX_GRACE_MS = 90_000
/** After an outage, devices get as long as this many leases to report, but at most MAX_GRACE_MS. */
const GRACE_LEASES = 3
const SWEEP_OUT_MS = 60_000

const WAITING = `select p.device from ${DEVICES_IN_QUEUE} p
where exists (select from sms_dispatch d where d.device = p.device and d.state = 'assigned')`

/** Starts sweeps of the queue and wake-ups; wakes devices that have messages. Returns a stop function. */
export async function startDelivery(store: Store, settings: DeliverySettings, log: Logger) {
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
  wakeHere(textsOf(await store.db.query(WAITING)))
  return async () => {
    for (const stop of stops) await stop()
  }
}

/** Returns a function that sweeps. For a while after a start or outage, it ignores devices' silence. */
function sweeper(store: Store, { deviceOnlineSeconds, leaseSeconds, stickyDays }: DeliverySettings) {
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

const OUTGROWN = `
select c.oid::regclass::text from unnest($1::text[]) t(name) join pg_class c on c.oid = to_regclass(t.name)
where c.relpages < ${MANY_PAGES}
  and pg_relation_size(c.oid) > greatest(${FEW_PAGES}, c.relpages * 1.5) * current_setting('block_size')::int`

/** Analyzes tables that grew by half: plans that Postgres made for an empty table would read all rows. */
export async function analyzeOutgrown({ db }: Store): Promise<void> {
  const tables = textsOf(await db.query(OUTGROWN, [TABLES], 'sms outgrown tables'))
  // names from the system catalog, already quoted
  if (tables.length > 0) await db.script(`analyze (skip_locked) ${tables.join(', ')}`)
}
