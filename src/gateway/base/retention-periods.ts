import { sql } from 'kysely'
import type { Config } from '../../platform/config.ts'

/** Days after which an account deletes records, by kind (`sql/functions/retention`); null: never. */
export interface Periods {
  readonly incoming: number | null
  readonly outgoing: number | null
  readonly files: number | null
  readonly consents: number | null
}

/** SQL: the periods of an account. `serverDays`: SMS_RETENTION_DAYS. */
export const writePeriodsSql = (owner: unknown, serverDays: number) =>
  sql<Periods>`retention_periods(${owner}, ${serverDays})`

/** SQL: the date that number of days ago; null for null days. */
export const writeDaysAgo = (days: unknown) =>
  sql<string>`pb_text(now() - make_interval(days => (${days})::int))`

/** Days that texts in hook calls and codes are kept: no longer than messages and the log of webhooks. */
export const limitTextDays = ({
  webhookLogDays,
  retention,
}: Pick<Config, 'webhookLogDays' | 'retention'>) =>
  Math.min(webhookLogDays, retention.days || webhookLogDays)
