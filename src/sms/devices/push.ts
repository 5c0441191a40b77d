import { admission } from '../../admission/admission.ts'
import type { Store } from '../../collections/catalog.ts'
import { counts } from '../../counts.ts'
import { minify } from '../../fields/values/json-text.ts'
import type { Logger } from '../../log.ts'
import { changeDevice, type Device } from './device.ts'
import {
  checkEndpoint,
  isGone,
  type PushSettings,
  type Subscription,
  sendPush,
  vapidKeys,
} from './web-push.ts'

const SAVE = { set: 'push = $4::json', where: 'push::text is distinct from $4::text' }

/** Keeps a device's subscription; null deletes it. Throws 400 for an address that cannot be called. */
export async function saveSubscription(
  store: Store,
  device: Device,
  subscription: Subscription | null,
  settings: PushSettings,
): Promise<void> {
  if (subscription) checkEndpoint(subscription, settings)
  await changeDevice(store.db, device, SAVE, [subscription && minify(JSON.stringify(subscription))])
}

/** Enabled devices that can be reached by push and have no stream open on any node. */
const REACHABLE = `
select d.id, d."user", d.push::text from devices d
where d.id = any($1) and d.enabled and pb_is_set(d.push)
  and not exists (select from device_streams s where s.device = d.id and s.until > now())`

/** A newer subscription of the device stays. */
const DROP = { set: 'push = null', where: 'push::text = $4' }

/** A push service keeps a wake-up for a device that is off for an hour. */
const WAKE = { text: 'wake', topic: 'wake', ttlSeconds: 3600 }

/** Wakes devices by Web Push: empty, urgent, replaces an undelivered one. */
export async function pushWake(
  store: Store,
  settings: PushSettings,
  log: Logger,
  devices: readonly string[],
): Promise<void> {
  const { rows } = await store.db.query(REACHABLE, [devices])
  if (rows.length === 0) return
  const keys = await vapidKeys(store)
  await Promise.all(
    (rows as [string, string, string][]).map(async ([id, user, push]) => {
      try {
        counts.wakes.push++
        const status = await admission.wakeUps.run(user, () =>
          sendPush(JSON.parse(push), WAKE, keys, settings),
        )
        if (isGone(status)) await changeDevice(store.db, { id, user }, DROP, [push])
        else if (status >= 400) log.warn({ device: id, status }, 'a push service refused a wake-up')
      } catch (error) {
        log.warn({ device: id, err: error }, 'a wake-up could not be pushed')
      }
    }),
  )
}
