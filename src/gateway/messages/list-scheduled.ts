import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { queries } from '../../platform/db/queries.ts'
import { makeIdSchema, makeInstantSchema, makeWholeNumber } from '../base/body-schemas.ts'

const DEFAULT_SENDS = 50
const MAX_SENDS = 200
const MAX_DAYS = 366

const DAY = z.iso.date('must be a day, for example 2026-11-30').optional()

const PERIOD = {
  from: DAY.describe('The first day, in the time zone of the account.'),
  until: DAY.describe('The last day, in the time zone of the account.'),
}

const INSTANT = makeInstantSchema()

/** The end of a page: when its last send is due, and that send. */
const END = makeIdSchema(60).transform((end, issues) => {
  const [time = '', send = ''] = end.split('/')
  const at = INSTANT.safeParse(time)
  if (at.success) return { at: formatDate(new Date(at.data)), send }
  issues.addIssue('must be `next` of a page')
  return z.NEVER
})

export const SCHEDULED_QUERY = z.strictObject({
  ...PERIOD,
  after: END.optional().describe('`next` of the page before.'),
  limit: z.coerce
    .number()
    .pipe(makeWholeNumber(1, MAX_SENDS))
    .optional()
    .describe(`Sends on a page. Default ${DEFAULT_SENDS}.`),
})

export const SCHEDULED_DAYS_QUERY = z.strictObject(PERIOD)

export const SCHEDULED_SENDS = z
  .object({
    items: z.array(
      z.object({
        send: z.string().describe('Its `batch_id`, or the id of its text if it has only one.'),
        is_batch: z.boolean(),
        scheduled_at: z.string(),
        expires_at: z.string().describe('Empty: never.'),
        messages: z.int().min(1).describe('Texts of the send that wait for this time.'),
        message: z
          .string()
          .describe('The id of one of them. The fields below are those of this text.'),
        to: z.string(),
        body: z.string(),
        attachments: z.int().min(0).describe('How many files it has.'),
        sent_by: z.string(),
      }),
    ),
    next: z.string().describe('For `after` of the next page; empty on the last page.'),
  })
  .meta({ id: 'ScheduledSends' })

export const SCHEDULED_DAYS = z
  .object({
    days: z.array(
      z.object({
        day: z.string().describe('In the time zone of the account.'),
        sends: z.int().min(1),
        messages: z.int().min(1),
      }),
    ),
  })
  .meta({ id: 'ScheduledDays' })

type Period = z.output<typeof SCHEDULED_DAYS_QUERY>

/** SQL: when the day begins that is `later` days after `day`, in the time zone of the account. */
const writeBeginning = (user: string, day: string, later: number) =>
  sql<Date>`(${day}::timestamp + ${sql.lit(later)} * interval '1 day') at time zone sms_time_zone(${user})`

/**
 * The user's sends whose texts wait for their time, without those of campaigns: read from one index, in
 * which the texts of a send stand beside each other.
 */
const selectSends = ({ db }: Store, user: string, { from, until }: Period) =>
  queries(db, 'shaped')
    .selectFrom(({ selectFrom }) =>
      selectFrom('sms_dispatch as d')
        .select(({ fn }) => [
          'd.due_at',
          'd.send',
          fn.countAll<number>().as('messages'),
          fn.min('d.message').as('first'),
        ])
        .where('d.user', '=', user)
        .where('d.state', '=', sql.lit('pending'))
        .where('d.waiting_for', '=', sql.lit(''))
        .where(sql<boolean>`d.due_at > now()`)
        // the texts of a paused campaign wait for ever
        .where(sql<boolean>`d.due_at < 'infinity'`)
        .$if(from !== undefined, (texts) =>
          texts.where(sql<boolean>`d.due_at >= ${writeBeginning(user, from!, 0)}`),
        )
        .$if(until !== undefined, (texts) =>
          texts.where(sql<boolean>`d.due_at < ${writeBeginning(user, until!, 1)}`),
        )
        .groupBy(['d.due_at', 'd.send'])
        .as('g'),
    )
    .innerJoin('sms_messages as m', 'm.id', 'g.first')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('campaigns as c').select('c.id').whereRef('c.id', '=', 'm.sent_by'))),
    )

export async function listScheduledSends(
  store: Store,
  user: string,
  { after, limit = DEFAULT_SENDS, ...period }: z.output<typeof SCHEDULED_QUERY>,
) {
  const found = await selectSends(store, user, period)
    .select([
      'g.send',
      'g.messages',
      'm.id as message',
      'm.to',
      'm.body',
      'm.sent_by',
      'm.expires_at',
    ])
    .select(sql<string>`pb_text(g.due_at)`.as('scheduled_at'))
    .select(sql<boolean>`g.send <> m.id`.as('is_batch'))
    .select(sql<number>`cardinality(m.attachments)`.as('attachments'))
    .$if(after !== undefined, (sends) =>
      sends.where(sql<boolean>`(g.due_at, g.send) > (${after!.at}::timestamptz, ${after!.send})`),
    )
    .orderBy('g.due_at')
    .orderBy('g.send')
    .limit(limit + 1)
    .execute()
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const next = found.length > limit && last ? `${last.scheduled_at}/${last.send}` : ''
  return { items, next }
}

/** Counts the user's scheduled sends and texts by day, in the time zone of the account. */
export async function countScheduledDays(store: Store, user: string, period: Period) {
  const days = await selectSends(store, user, period)
    .select(
      sql<string>`to_char(g.due_at at time zone sms_time_zone(${user}), 'YYYY-MM-DD')`.as('day'),
    )
    .select(({ fn }) => [
      fn.countAll<number>().as('sends'),
      sql<number>`sum(g.messages)::int`.as('messages'),
    ])
    .groupBy(sql`1`)
    .orderBy(sql`1`)
    .limit(sql.lit(MAX_DAYS))
    .execute()
  return { days }
}
