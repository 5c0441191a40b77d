import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { formatDate } from '../../fields/types/date.ts'
import { gatewayRefusal } from '../send/refusal.ts'
import { STATUSES } from '../status/status.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 366
const DAY_MS = 86_400_000

/** Messages by the day they were accepted or received, and by the status they have now. */
export type UsageDays = Readonly<z.output<typeof USAGE_DAYS>>
export const USAGE_DAYS = z
  .object({
    days: z.array(
      z.object({
        day: z
          .string()
          .regex(/^\d{4}-\d\d-\d\d$/)
          .meta({ description: 'In UTC.' }),
        counts: z
          .partialRecord(z.enum(STATUSES), z.int().min(1))
          .meta({ description: 'Messages by status; a status that none has is left out.' }),
      }),
    ),
  })
  .meta({ id: 'UsageDays' })

/** The query's `days`: 1 to 366, 30 when absent. Throws 400. */
export function readDays(raw: string | undefined): number {
  if (raw === undefined) return DEFAULT_DAYS
  const days = Number(raw)
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days
  throw gatewayRefusal('invalid_request', `days must be a whole number from 1 to ${MAX_DAYS}`)
}

const count = (whose: string) => `
select left(created, 10), status, count(*) from sms_messages where ${whose} created >= $1 group by 1, 2`

// Of one user a range of an index, of all a scan. Among 200,000 messages of 30 days: 3 ms for a user with
// 2,000, 62 for one with 102,000, 85 to 130 for all.
const OF_USER = count('"user" = $2 and')
const OF_ALL = count('')

/** The last `days` days up to that of `at`, oldest first, without gaps: of a user, or of all (`null`). */
export async function countDays(
  store: Store,
  user: string | null,
  days: number,
  at: Date,
): Promise<UsageDays> {
  const all = lastDays(days, at)
  const { rows } =
    user === null
      ? await store.db.query(OF_ALL, [all[0]])
      : await store.db.query(OF_USER, [all[0], user], 'sms usage days')
  const found = new Map(all.map((day) => [day, {} as Record<string, number>]))
  for (const [day, status, messages] of rows as [string, string, number][]) {
    const counts = found.get(day)
    if (counts) counts[status] = Number(messages)
  }
  return { days: [...found].map(([day, counts]) => ({ day, counts })) }
}

function lastDays(days: number, at: Date): string[] {
  const dayOf = (back: number) => formatDate(new Date(at.getTime() - back * DAY_MS)).slice(0, 10)
  return Array.from({ length: days }, (_, i) => dayOf(days - 1 - i))
}
