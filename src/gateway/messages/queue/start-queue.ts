import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import type { Config } from '../../../platform/config.ts'
import { countChannelListeners } from '../../../platform/db/count-listeners.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import type { Logger } from '../../../platform/log.ts'
import { repeatWork } from '../../../platform/tools/repeat-work.ts'
import { pushWake } from '../../lines/wake-by-push.ts'
import {
  listenToOtherNodes,
  WAKE_CHANNEL,
  wakeLocalDevices,
  watchUnheardWakes,
} from '../../lines/wake-devices.ts'
import type { PushSettings } from '../../lines/web-push.ts'
import { countMessages } from '../message-totals.ts'
import { extendAllLeases } from './message-leases.ts'
import { refuseLargeMms } from './refuse-large-mms.ts'
import { checkQueue } from './repair-queue.ts'
import { sweepQueue } from './sweep-queue.ts'
import { analyzeOutgrown, deleteExpiredRows } from './tidy-tables.ts'

type QueueSettings = PushSettings &
  Pick<Config, 'deviceOnlineSeconds' | 'leaseSeconds' | 'mmsMaxBytes' | 'stickyDays'>

const SWEEP_MS = 1_000
/** Maximum time for devices to report after an outage of this server. The SMSGate app retries every 60 s. */
const MAX_GRACE_MS = 90_000
/** After an outage, devices get as long as this many leases to report, but at most MAX_GRACE_MS. */
const GRACE_LEASES = 3
const SWEEP_OUT_MS = 60_000

const loadWaitingDevices = (db: Db) =>
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
  // the setting changes only with a start
  await refuseLargeMms(store.db, settings.mmsMaxBytes)
  const stopListening = await listenToOtherNodes(store.db)
  let checked = ''
  const checkNext = async () => {
    checked = await checkQueue(store, checked)
  }
  const stops = [
    watchUnheardWakes((devices) => pushWake(store, settings, log, devices), log),
    stopListening,
    repeatWork(makeSweeper(store, settings), SWEEP_MS, log),
    repeatWork(() => analyzeOutgrown(store), SWEEP_MS, log),
    repeatWork(() => deleteExpiredRows(store), SWEEP_OUT_MS, log),
    repeatWork(checkNext, SWEEP_OUT_MS, log),
  ]
  wakeLocalDevices((await loadWaitingDevices(store.db)).map(({ device }) => device))
  return async () => {
    for (const stop of stops) await stop()
  }
}

/** Returns a function that sweeps. For a while after a start or outage, it ignores devices' silence. */
function makeSweeper(
  store: Store,
  { deviceOnlineSeconds, leaseSeconds, stickyDays }: QueueSettings,
) {
  const graceMs = Math.min(MAX_GRACE_MS, GRACE_LEASES * leaseSeconds * 1000)
  let wellSince: number | undefined
  let wasAway = async () => (await countChannelListeners(store.db, WAKE_CHANNEL)) <= 1
  return async () => {
    try {
      if (wellSince === undefined && (await wasAway()))
        await extendAllLeases(store.db, graceMs / 1000)
      wellSince ??= performance.now()
      await sweepQueue(
        store,
        deviceOnlineSeconds,
        performance.now() - wellSince > graceMs,
        stickyDays,
      )
    } catch (error) {
      wellSince = undefined
      wasAway = async () => true
      throw error
    }
  }
}
