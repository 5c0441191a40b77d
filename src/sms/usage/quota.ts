import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { number, runForRow, runForTexts, statement, text } from '../../db/statement.ts'
import { formatDate } from '../../fields/date.ts'
import { INSTANT } from '../../fields/instant.ts'
import { storedBytes } from '../../files/contents.ts'
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

/** Reads a user's quota and usage. `usual`: the quota of users without a quota of their own. */
const READ = statement('sms usage', { quota: 'number', used: 'number' })`
select case when u.monthly_quota > 0 then u.monthly_quota else ${number('usual')}::float8 end as quota, coalesce(s.used, 0) as used
from users u left join sms_usage s on s."user" = u.id and s.period = ${text('period')} where u.id = ${text('user')}`

/** A user's sent messages and quota in the calendar month (UTC) of `at`. */
export async function readUsage(store: Store, user: string, config: Pick<Config, 'monthlyQuota'>, at: Date) {
  const period = formatDate(at).slice(0, 7)
  const found = await runForRow(store.db, READ, { user, period, usual: config.monthlyQuota })
  const { quota, used } = found ?? { quota: 0, used: 0 }
  const remaining = quota === 0 ? null : Math.max(0, quota - used)
  const next = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))
  return { period, used, quota, remaining, resets_at: formatDate(next) }
}

/** An account's usage of the month, and of its file storage. */
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

const GIVE_BACK = statement('sms give back', { id: 'string' })`
update sms_usage set used = greatest(used - ${number('messages')}::float8, 0), updated = ${text('updated')}
where "user" = ${text('user')} and period = ${text('period')} and used > 0 returning id`

/** Refunds messages to the month they were counted in, in the transaction that ends them unsent. */
export async function refundQuota(store: Pick<Store, 'db'>, user: string, period: string, messages = 1) {
  const values = { user, period, messages, updated: formatDate(new Date()) }
  await logChanged(store, 'sms_usage', 'update', await runForTexts(store.db, GIVE_BACK, values))
}
