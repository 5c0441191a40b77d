import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import { LOCKS } from '../db/advisory-locks.ts'
import type { Db } from '../db/open.ts'
import { lock, queries } from '../db/queries.ts'
import { formatDate } from '../fields/date.ts'
import { INSTANT } from '../fields/instant.ts'
import { storedBytes } from '../files/storage-limit.ts'
import { invalid } from './send/refusals.ts'
import { CANCELED_SQL, logChanged, STATUSES } from './status.ts'

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
    bytes: z.int().min(0).describe('The size of its files; each counts as at least 4,096.'),
    limit: z.int().min(0).describe('Their maximum size; 0: no limit.'),
  }),
}).meta({ id: 'AccountUsage' })

/** A user's accepted messages and quota in the month (UTC) of `at`. `remaining`: null for no limit. */
export async function readUsage(store: Store, user: string, config: Pick<Config, 'monthlyQuota'>, at: Date) {
  const period = formatDate(at).slice(0, 7)
  const found = await queries(store.db)
    .selectFrom('users as u')
    .leftJoin('sms_usage as s', (join) => join.onRef('s.user', '=', 'u.id').on('s.period', '=', period))
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

/** Refunds unsent messages to the month of their quota (`period`), in the transaction that ends them. */
export async function refundQuota(store: Pick<Store, 'db'>, user: string, period: string, messages = 1) {
  const refunded = await queries(store.db)
    .updateTable('sms_usage')
    .set({ used: sql<number>`greatest(used - ${messages}::float8, 0)`, updated: formatDate(new Date()) })
    .where('user', '=', user)
    .where('period', '=', period)
    .where('used', '>', 0)
    .returning('id')
    .execute()
  const ids = refunded.map(({ id }) => id)
  await logChanged(store, 'sms_usage', 'update', ids)
}

const DEFAULT_DAYS = 30
const MAX_DAYS = 366

/** Messages by the day they were accepted or received, and by the status they have now. */
export const USAGE_DAYS = z
  .object({
    days: z.array(
      z.object({
        day: z
          .string()
          .regex(/^\d{4}-\d\d-\d\d$/)
          .describe("In the time zone of the account's `user_settings`, else in UTC."),
        counts: z
          .partialRecord(z.enum([...STATUSES, 'canceled']), z.int().min(1))
          .describe(
            'Messages by status, without empty ones. `canceled`: canceled messages, which `failed` does not count.',
          ),
      }),
    ),
  })
  .meta({ id: 'UsageDays' })

/** Parses the query parameter `days`: 1 to 366, 30 when absent. Throws 400. */
export function readDays(raw: string | undefined): number {
  if (raw === undefined) return DEFAULT_DAYS
  const days = Number(raw)
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days
  throw invalid(`days must be a whole number from 1 to ${MAX_DAYS}`)
}

/** The last days in a user's time zone, oldest first, and the instants at which they begin. */
function readDayStarts(db: Db, user: string, days: number, at: Date) {
  const zone = sql<{ zone: string; today: Date }>`(
    select zone, (${formatDate(at)}::timestamptz at time zone zone)::date::timestamp as today
    from (select sms_time_zone(${user}) as zone) of_user)`
  const series = sql<{ d: Date }>`generate_series(today - ${days - 1} * interval '1 day', today, '1 day')`
  return queries(db)
    .selectFrom(zone.as('z'))
    .crossJoinLateral(series.as<'s'>(sql`s(d)`))
    .select([
      sql<string>`to_char(d, 'YYYY-MM-DD')`.as('day'),
      sql<string>`pb_text(d at time zone zone)`.as('starts'),
    ])
    .orderBy('d')
    .execute()
}

/** A message's status in statistics, in which `failed` excludes `canceled`. */
const STATE = sql<string>`case when status = 'failed' and error_message in ${sql.raw(CANCELED_SQL)}
  then 'canceled' else status end`

/** Counts messages of each of the last `days` days up to `at`, oldest first. `user`: null for all users. */
export async function countDays(store: Store, user: string | null, days: number, at: Date) {
  const all = await readDayStarts(store.db, user ?? '', days, at)
  const starts = all.map((one) => one.starts)
  const counted = await queries(store.db, 'shaped')
    .selectFrom('sms_messages')
    .select(({ fn }) => [
      sql<number>`width_bucket(created::text, ${starts}::text[])`.as('day'),
      STATE.as('state'),
      fn.countAll<number>().as('messages'),
    ])
    .where('created', '>=', starts[0]!)
    .$if(user !== null, (query) => query.where('user', '=', user!))
    .groupBy(sql`1, 2`)
    .execute()
  const found = all.map(({ day }) => ({ day, counts: {} as Record<string, number> }))
  for (const { day, state, messages } of counted) found[day - 1]!.counts[state] = messages
  return { days: found }
}

/** SQL: the number of messages of `user` (SQL), or of all users, in the statement's snapshot. */
export const totalSql = (table: string, user?: string): string => `coalesce((
  SELECT sum(c.messages)::bigint
    + coalesce((SELECT sum(t.messages)::bigint FROM sms_turns t${user ? ` WHERE t."user" = ${user}` : ''}), 0)
  FROM sms_totals c
  WHERE c.relation = '${table}'::regclass${user ? ` AND c."user" IN ('', ${user})` : ''} HAVING bool_or(c."user" = '')),
  sms_counted(${user ?? 'NULL'}))`

/** Whether messages must be counted: the table has its triggers, but no totals. */
async function mustCount(db: Db): Promise<boolean> {
  // a recreated table gets its triggers at the next start
  const isToDo = sql<boolean>`exists (select from pg_trigger
    where tgrelid = to_regclass('sms_messages') and tgname = 'sms_messages_came'
      and not exists (select from sms_totals where relation = tgrelid and "user" = ''))`
  return (await queries(db).selectNoFrom(isToDo.as('isToDo')).executeTakeFirstOrThrow()).isToDo
}

/** Counts each user's messages after an upgrade. Meanwhile sends wait: 1 s for a few million messages. */
export async function countMessages(db: Db): Promise<void> {
  if (!(await mustCount(db))) return
  await db.transaction(async (inside) => {
    await inside.limitStatements(0)
    await lock(inside, LOCKS.totals)
    if (await mustCount(inside))
      await queries(inside).selectNoFrom(sql`sms_count_all()`.as('counted')).execute()
  })
}

/** Deletes deleted users' totals if they are 0. First counts messages again if necessary. */
export async function keepTotals(db: Db): Promise<void> {
  await countMessages(db)
  await db.transaction(async (inside) => {
    await inside.script('lock table sms_totals in exclusive mode')
    await queries(inside)
      .deleteFrom('sms_totals as t')
      .using(({ selectFrom }) =>
        selectFrom('sms_totals as s')
          .select(['s.relation', 's.user'])
          .where('s.user', '<>', '')
          .groupBy(['s.relation', 's.user'])
          .having(sql<boolean>`sum(s.messages) = 0`)
          .having(sql<boolean>`not exists (select from sms_turns u where u."user" = s."user")`)
          .as('n'),
      )
      .whereRef('t.relation', '=', 'n.relation')
      .whereRef('t.user', '=', 'n.user')
      .execute()
  })
}
