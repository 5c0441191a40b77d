import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { textsOf } from '../../db/rows.ts'
import { formatDate } from '../../fields/types/date.ts'
import { INSTANT } from '../../fields/values/instant.ts'
import { logChanged } from '../status/status.ts'

export const USAGE = z
  .object({
    period: z
      .string()
      .regex(/^\d{4}-\d\d$/)
      .describe('The calendar month, in UTC.'),
    used: z.int().min(0).describe('Messages accepted in it; canceled ones came back.'),
    quota: z.int().min(0).describe('Messages that may be accepted; 0: without limit.'),
    remaining: z.int().min(0).nullable().describe('null when there is no limit.'),
    resets_at: INSTANT.describe('When the next month begins.'),
  })
  .meta({ id: 'Usage' })

/** A user's sent messages and quota in the calendar month (UTC) of `at`. */
export async function readUsage(
  store: Store,
  user: string,
  config: Pick<Config, 'monthlyQuota'>,
  at: Date,
): Promise<z.output<typeof USAGE>> {
  const period = formatDate(at).slice(0, 7)
  const { rows } = await store.db.query(
    `select case when u.monthly_quota > 0 then u.monthly_quota else $3::float8 end,
      coalesce((select s.used from sms_usage s where s."user" = u.id and s.period = $2), 0)
    from users u where u.id = $1`,
    [user, period, config.monthlyQuota],
    'sms usage',
  )
  const [quota, used] = (rows[0] ?? [0, 0]) as [number, number]
  const remaining = quota === 0 ? null : Math.max(0, quota - used)
  const next = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))
  return { period, used, quota, remaining, resets_at: formatDate(next) }
}

/** Gives messages back to the month that paid for them, in the transaction that ends them unsent. */
export async function refundQuota(store: Pick<Store, 'db'>, user: string, period: string, messages = 1) {
  const changed = await store.db.query(
    `update sms_usage set used = greatest(used - $4::float8, 0), updated = $3
     where "user" = $1 and period = $2 and used > 0 returning id`,
    [user, period, formatDate(new Date()), messages],
    'sms give back',
  )
  await logChanged(store, 'sms_usage', 'update', textsOf(changed))
}
