import { z } from 'zod'
import { readUsage } from '../../gateway/base/quota.ts'
import type { SendingCaller } from '../../gateway/messages/sender.ts'
import { queries } from '../../platform/db/queries.ts'
import type { DoorCall } from '../door.ts'

/** Sent as the limit where there is no limit. A number, since clients subtract from it. */
const UNLIMITED = 2 ** 31 - 1

export const QUOTA = z.strictObject({
  plan: z.string(),
  sms_sent_this_month: z.int(),
  max_sms_per_month: z.int().describe(`${UNLIMITED}: without limit.`),
  devices_registered: z.int(),
  max_devices: z.int(),
  reset_date: z.string(),
})

export async function readQuota({ services }: DoorCall, { store, user }: SendingCaller) {
  const { used, quota, resets_at } = await readUsage(store, user, services.config, new Date())
  const { devices } = await queries(store.db)
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number>().as('devices'))
    .where('user', '=', user)
    .executeTakeFirstOrThrow()
  return {
    plan: 'pocketsms',
    sms_sent_this_month: used,
    max_sms_per_month: quota || UNLIMITED,
    devices_registered: devices,
    max_devices: UNLIMITED,
    reset_date: resets_at.slice(0, 10),
  } satisfies z.output<typeof QUOTA>
}
