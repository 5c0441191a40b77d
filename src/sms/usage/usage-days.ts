import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { list, number, part, run, statement, text } from '../../db/statement.ts'
import { formatDate } from '../../fields/date.ts'
import { invalid } from '../send/shape.ts'
import { CANCELED_SQL, STATUSES } from '../status/status.ts'

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
            'Messages by status; a status that none has is left out. `canceled`: failed ones that were called off, which `failed` does not count.',
          ),
      }),
    ),
  })
  .meta({ id: 'UsageDays' })

/** The query's `days`: 1 to 366, 30 when absent. Throws 400. */
export function readDays(raw: string | undefined): number {
  if (raw === undefined) return DEFAULT_DAYS
  const days = Number(raw)
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days
  throw invalid(`days must be a whole number from 1 to ${MAX_DAYS}`)
}

/** SQL of a message's state in statistics: canceled is not failed. */
const STATE = `case when m.status = 'failed' and m.error_message in ${CANCELED_SQL} then 'canceled' else m.status end`

/** The last days of a user's time zone, oldest first, and the instants at which they begin. */
const DAYS = statement('sms usage day starts', { day: 'string', starts: 'string' })`
select to_char(d, 'YYYY-MM-DD') as day, pb_text(d at time zone z.zone) as starts
from (select sms_time_zone(${text('user')}) as zone) z cross join lateral (
  select (${text('at')}::timestamptz at time zone z.zone)::date::timestamp as today) t cross join lateral
  generate_series(t.today - ${number('back')} * interval '1 day', t.today, '1 day') d order by d`

const COLUMNS = { day: 'number', status: 'string', messages: 'number' } as const
const COUNT = part`
select width_bucket(m.created::text, ${list('starts')}::text[]) as day, ${STATE} as status, count(*) as messages
from sms_messages m where m.created >= (${list('starts')}::text[])[1]`
const OF_USER = statement('sms usage days', COLUMNS)`${COUNT} and m."user" = ${text('user')} group by 1, 2`
const OF_ALL = statement('sms usage days of all', COLUMNS)`${COUNT} group by 1, 2`

/** The last `days` days up to the day of `at`, oldest first, without gaps; for a user or all (`null`). */
export async function countDays(store: Store, user: string | null, days: number, at: Date) {
  const all = await run(store.db, DAYS, { user: user ?? '', at: formatDate(at), back: days - 1 })
  const starts = all.map((one) => one.starts)
  const rows =
    user === null
      ? await run(store.db, OF_ALL, { starts }, 'shaped')
      : await run(store.db, OF_USER, { starts, user }, 'shaped')
  const found = all.map(({ day }) => ({ day, counts: {} as Record<string, number> }))
  for (const { day, status, messages } of rows) found[day - 1]!.counts[status] = messages
  return { days: found }
}
