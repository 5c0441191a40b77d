import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { makeUserHolder } from '../../engine/collections/collection.ts'
import { minifyJson } from '../../engine/fields/json-text.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import type { Logger } from '../../platform/log.ts'
import { counts } from '../../platform/tools/process-counters.ts'
import { changeDevice, type Device } from '../base/device-record.ts'
import {
  adviseOnPush,
  checkEndpoint,
  isSubscriptionGone,
  loadVapidKeys,
  type PushSettings,
  sendPush,
  type WebPushSubscription,
} from './web-push.ts'

/** Stores a device's subscription; null deletes it. Throws 400 for an address that cannot be called. */
export async function saveSubscription(
  store: Store,
  device: Device,
  subscription: WebPushSubscription | null,
  settings: PushSettings,
): Promise<void> {
  if (subscription) checkEndpoint(subscription, settings)
  const push = subscription && minifyJson(JSON.stringify(subscription))
  await changeDevice(
    store.db,
    device,
    { push },
    sql<boolean>`push::text is distinct from ${push}::text`,
  )
}

/** Reads enabled devices with a push subscription and no open stream on any node. */
const findReachableDevices = (db: Db, devices: readonly string[]) =>
  queries(db)
    .selectFrom('devices as d')
    .select(['d.id', 'd.user', 'd.push'])
    .where('d.id', '=', matchAny(devices))
    .where('d.enabled', '=', true)
    .where(sql<boolean>`pb_is_set(d.push)`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('device_streams as s')
            .whereRef('s.device', '=', 'd.id')
            .where('s.until', '>', sql<Date>`now()`),
        ),
      ),
    )
    .execute()

/** The push service keeps an undelivered wake-up for an hour. */
const WAKE = { text: 'wake', topic: 'wake', ttlSeconds: 3600 }

/** Wakes devices by urgent Web Push messages. A newer message replaces an undelivered one. */
export async function pushWake(
  store: Store,
  settings: PushSettings,
  log: Logger,
  devices: readonly string[],
): Promise<void> {
  const reachable = await findReachableDevices(store.db, devices)
  if (reachable.length === 0) return
  const keys = await loadVapidKeys(store)
  await Promise.all(
    reachable.map(async ({ id, user, push }) => {
      try {
        counts.wakes.push++
        const status = await admission.wakeUps.run(makeUserHolder(user), () =>
          sendPush(JSON.parse(push!), WAKE, keys, settings),
        )
        // delete only the subscription that has ended, not a newer one of the device
        if (isSubscriptionGone(status))
          await changeDevice(
            store.db,
            { id, user },
            { push: null },
            sql<boolean>`push::text = ${push}`,
          )
        else if (status >= 400)
          log.warn(
            { device: id, status, advice: adviseOnPush(status, settings) },
            'a push service refused a wake-up',
          )
      } catch (error) {
        log.warn({ device: id, err: error }, 'could not push a wake-up')
      }
    }),
  )
}
