import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { CANCELED_SQL, STATUSES } from '../base/message-status.ts'

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
  throw invalidRequest(`days must be a whole number from 1 to ${MAX_DAYS}`)
}

/** The last days in a user's time zone, oldest first, and the instants at which they begin. */
function loadDayStarts(db: Db, user: string, days: number, at: Date) {
  const zone = sql<{ zone: string; today: Date }>`(
    select zone, (${formatDate(at)}::timestamptz at time zone zone)::date::timestamp as today
    from (select sms_time_zone(${user}) as zone) of_user)`
  const series = sql<{
    d: Date
  }>`generate_series(today - ${days - 1} * interval '1 day', today, '1 day')`
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

/**
 * A message's status in statistics, in which `failed` excludes `canceled`. Not by EXISTS, for which Postgres
 * would read all messages into a hash.
 */
const STATE = sql<string>`case when b.status = 'failed' and (
  select m.error_message in ${sql.raw(CANCELED_SQL)} from sms_messages m where m._rowid = b._rowid
) then 'canceled' else b.status end`

/**
 * Counts messages of each of the last `days` days up to `at`, oldest first. `user`: null for all users. Reads
 * the index of the brief rows, and of the messages only those that have failed.
 */
export async function countMessagesByDay(
  store: Store,
  user: string | null,
  days: number,
  at: Date,
) {
  const all = await loadDayStarts(store.db, user ?? '', days, at)
  const starts = all.map((one) => one.starts)
  const counted = await queries(store.db, 'shaped')
    .selectFrom('sms_messages_brief as b')
    .select(({ fn }) => [
      sql<number>`width_bucket(b.created::text, ${starts}::text[])`.as('day'),
      STATE.as('state'),
      fn.countAll<number>().as('messages'),
    ])
    .where('b.status', '=', matchAny(STATUSES))
    .where('b.created', '>=', starts[0]!)
    .$if(user !== null, (query) => query.where('b.user', '=', user!))
    .groupBy(sql`1, 2`)
    .execute()
  const found = all.map(({ day }) => ({ day, counts: {} as Record<string, number> }))
  for (const { day, state, messages } of counted) found[day - 1]!.counts[state] = messages
  return { days: found }
}
