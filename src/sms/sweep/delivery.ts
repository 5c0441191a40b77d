import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { countChannelListeners } from '../../db/server.ts'
import { textsOf } from '../../db/statement.ts'
import type { Logger } from '../../log.ts'
import { repeat } from '../../tools/repeat.ts'
import { type PushSettings, pushWake } from '../devices/web-push.ts'
import { DEVICES_IN_QUEUE } from '../queue/overdue.ts'
import { extendAllLeases } from '../queue/renew.ts'
import { countMessages } from '../usage/totals.ts'
import { listenToOtherNodes, onUnheardWake, WAKE_CHANNEL, wakeHere } from '../wake/wake.ts'
import { checkQueue, deleteExpiredRows, sweep } from './sweep.ts'

type DeliverySettings = PushSettings & Pick<Config, 'deviceOnlineSeconds' | 'leaseSeconds' | 'stickyDays'>

const SWEEP_MS = 1_000
/** Maximum time that devices have to report after an outage of ours: the SMSGate app retries each 60 s. */
const MAX_GRACE_MS = 90_000
/** The time to report after an outage is three leases, if that is shorter, as in the SMSGate app. */
const GRACE_LEASES = 3
const SWEEP_OUT_MS = 60_000

const WAITING = `select p.device from ${DEVICES_IN_QUEUE} p
where exists (select from sms_dispatch d where d.device = p.device and d.state = 'assigned')`

/** Starts the sweeper, push and wake-ups between nodes. Wakes devices with messages. Returns the stop. */
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

/** Returns a function that sweeps. For a while after a start or outage, devices' silence does not count. */
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
/** Sizes of tables to analyze. Smaller ones are fast anyway; autovacuum analyzes larger ones in time. */
const [FEW_PAGES, MANY_PAGES] = [4, 5_000]

const OUTGROWN = `
select c.oid::regclass::text from unnest($1::text[]) t(name) join pg_class c on c.oid = to_regclass(t.name)
where c.relpages < ${MANY_PAGES}
  and pg_relation_size(c.oid) > greatest(${FEW_PAGES}, c.relpages * 1.5) * current_setting('block_size')::int`

/** Analyzes tables that grew by half. Plans made for an empty table would read all rows. */
export async function analyzeOutgrown({ db }: Store): Promise<void> {
  const tables = textsOf(await db.query(OUTGROWN, [TABLES], 'sms outgrown tables'))
  // names from the system catalog, already quoted
  if (tables.length > 0) await db.script(`analyze (skip_locked) ${tables.join(', ')}`)
}
