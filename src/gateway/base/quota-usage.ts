import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { INSTANT } from '../../engine/fields/date-schema.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { sumStoredBytes } from '../../engine/files/storage-limit.ts'
import type { Config } from '../../platform/config.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import { queries } from '../../platform/db/queries.ts'

export const USAGE = z
  .object({
    period: z
      .string()
      .regex(/^\d{4}-\d\d$/)
      .describe('The calendar month, in UTC.'),
    used: z.int().min(0).describe('Messages accepted in it; canceled ones came back.'),
    quota: z.int().min(0).describe('Messages that may be accepted; 0: without limit.'),
    remaining: z.int().min(0).nullable().describe('null without a limit.'),
    resets_at: INSTANT.describe('When the next month begins.'),
  })
  .meta({ id: 'Usage' })

export const ACCOUNT_USAGE = USAGE.extend({
  files: z.object({
    bytes: z
      .int()
      .min(0)
      .describe('The size of its files; equal ones count once, and each as at least 4,096.'),
    limit: z.int().min(0).describe('Their maximum size; 0: no limit.'),
  }),
}).meta({ id: 'AccountUsage' })

/** A user's accepted messages and quota in the month (UTC) of `at`. `remaining`: null for no limit. */
export async function loadUsage(
  store: Store,
  user: string,
  config: Pick<Config, 'monthlyQuota'>,
  at: Date,
) {
  const period = formatDate(at).slice(0, 7)
  const found = await queries(store.db)
    .selectFrom('users as u')
    .leftJoin('sms_usage as s', (join) =>
      join.onRef('s.user', '=', 'u.id').on('s.period', '=', period),
    )
    .select(['u.monthly_quota', 's.used'])
    .where('u.id', '=', user)
    .executeTakeFirst()
  // a quota of their own, else the usual one
  const quota = found ? (found.monthly_quota > 0 ? found.monthly_quota : config.monthlyQuota) : 0
  const used = found?.used ?? 0
  const remaining = quota === 0 ? null : Math.max(0, quota - used)
  const next = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))
  return { period, used, quota, remaining, resets_at: formatDate(next) }
}

export async function loadAccountUsage(
  store: Store,
  user: string,
  config: Pick<Config, 'monthlyQuota' | 'maxAccountFileBytes'>,
  at: Date,
): Promise<z.output<typeof ACCOUNT_USAGE>> {
  const usage = await loadUsage(store, user, config, at)
  const bytes = await sumStoredBytes(store.db, user)
  return { ...usage, files: { bytes, limit: config.maxAccountFileBytes } }
}

/** Refunds unsent messages to the month of their quota (`period`), in the transaction that ends them. */
export async function refundQuota(
  { db }: Pick<Store, 'db'>,
  user: string,
  period: string,
  messages = 1,
) {
  await callFunction(db, 'sms_refund', user, period, messages)
}
