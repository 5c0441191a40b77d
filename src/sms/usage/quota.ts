import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { textsOf } from '../../db/rows.ts'
import { cast, runForRow, type Slots, sql, statement, tables } from '../../db/statements/statement.ts'
import { formatDate } from '../../fields/types/date.ts'
import { INSTANT } from '../../fields/values/instant.ts'
import { storedBytes } from '../../files/room.ts'
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

/** Usage of the month, and the storage that the account's files take. */
export const ACCOUNT_USAGE = USAGE.extend({
  files: z.object({
    bytes: z.int().min(0).describe('What its files take; each counts as 4,096 at least.'),
    limit: z.int().min(0).describe('What they may take; 0: without limit.'),
  }),
}).meta({ id: 'AccountUsage' })

/** `usual`: the quota of users without one of their own. */
const READ = statement(
  'sms usage',
  ({ user, period, usual }: Slots<Record<'user' | 'period', string> & { usual: number }>) =>
    tables
      .selectFrom('users as u')
      .leftJoin('sms_usage as s', (join) => join.onRef('s.user', '=', 'u.id').on('s.period', '=', period))
      .select([
        sql<number>`case when u.monthly_quota > 0 then u.monthly_quota else ${cast(usual, 'float8')} end`.as(
          'quota',
        ),
        sql<number>`coalesce(s.used, 0)`.as('used'),
      ])
      .where('u.id', '=', user),
)

/** A user's sent messages and quota in the calendar month (UTC) of `at`. */
export async function readUsage(
  store: Store,
  user: string,
  config: Pick<Config, 'monthlyQuota'>,
  at: Date,
): Promise<z.output<typeof USAGE>> {
  const period = formatDate(at).slice(0, 7)
  const found = await runForRow(store.db, READ, { user, period, usual: config.monthlyQuota })
  const { quota, used } = found ?? { quota: 0, used: 0 }
  const remaining = quota === 0 ? null : Math.max(0, quota - used)
  const next = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))
  return { period, used, quota, remaining, resets_at: formatDate(next) }
}

/** What an account has used of the month, and of its room for files. */
export async function readAccountUsage(
  store: Store,
  user: string,
  config: Pick<Config, 'monthlyQuota' | 'maxAccountFileBytes'>,
  at: Date,
): Promise<z.output<typeof ACCOUNT_USAGE>> {
  const usage = await readUsage(store, user, config, at)
  const bytes = await storedBytes(store.db, user)
  return { ...usage, files: { bytes, limit: config.maxAccountFileBytes } }
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
