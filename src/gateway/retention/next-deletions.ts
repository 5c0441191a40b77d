import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { type Periods, writePeriodsSql } from '../base/retention-periods.ts'
import { REPLACED_AT, selectReplaced } from './delete-old-consents.ts'
import { HAS_CONTENT_SQL, type Mode, OTHER_NUMBER_SQL } from './make-retention-index.ts'
import { ENDED_SQL } from './run-in-batches.ts'

const MAX_COUNT = 10_000
const MAX_GROUPS = 100

const NEXT = {
  days: z
    .int()
    .min(0)
    .describe('Days that these records are kept; 0: for ever, or as long as their texts.'),
  next_at: INSTANT_OR_EMPTY.describe('When the first of them goes; empty: none goes.'),
  count: z
    .int()
    .min(0)
    .max(MAX_COUNT)
    .describe(`How many go in the 24 hours from then. ${MAX_COUNT}: that many or more.`),
}

export const NEXT_DELETIONS = z
  .object({
    mode: z.enum(['redact', 'delete']).describe('`redact` deletes texts, `delete` whole messages.'),
    kinds: z.array(
      z.object({ kind: z.enum(['incoming', 'outgoing', 'files', 'consents']), ...NEXT }),
    ),
    groups: z
      .array(z.object({ id: z.string(), name: z.string(), ...NEXT }))
      .max(MAX_GROUPS)
      .describe('The groups with days of their own: texts from and to their members.'),
  })
  .meta({ id: 'Retention' })

/** A kind's records in the table `r`, whose period counts from the date `at`. */
type Records = RawBuilder<unknown>

/** SQL: when the first record is deleted, and how many are deleted in the 24 hours from then. */
const writeNextSql = (days: unknown, records: Records) => sql<{ next_at: string; count: number }>`(
  select coalesce(pb_text(min(first)), '') as next_at, least(count(*) filter (where ends < first + interval '24 hours'), ${sql.lit(MAX_COUNT)})::int as count
  from (
    select ends, min(ends) over () as first
    from (select greatest(r.at::timestamptz + make_interval(days => (${days})::int), now()) as ends from ${records}) e
  ) f)`

const writeTextsSql = (user: string, mode: Mode, type: 'incoming' | 'outgoing') => sql`(
  select greatest(created, updated) as at from sms_messages
  where "user" = ${user} and message_type = ${sql.lit(type)} and ${sql.raw(ENDED_SQL)} and ${sql.raw(HAS_CONTENT_SQL[mode])}
  order by created limit ${sql.lit(MAX_COUNT)}) r`

const writeFilesSql = (user: string) => sql`(
  select greatest(created, updated) as at from sms_messages
  where "user" = ${user} and ${sql.raw(ENDED_SQL)} and attachments <> '{}'
  order by created limit ${sql.lit(MAX_COUNT)}) r`

/** Texts from and to the members of a group `g`: of each member, the oldest. */
const writeMemberTextsSql = (mode: Mode) => sql`(
  select m.at from contacts c cross join lateral (
    select greatest(created, updated) as at from sms_messages
    where "user" = c."user" and ${sql.raw(OTHER_NUMBER_SQL)} = c.phone and ${sql.raw(ENDED_SQL)} and ${sql.raw(HAS_CONTENT_SQL[mode])}
    order by created limit 100
  ) m where c."user" = g."user" and c.groups @> array[g.id]) r`

/** The next deletions of retention in an account: by kind, and by group with days of its own. */
export async function loadNextDeletions(
  db: Db,
  user: string,
  { mode, days: serverDays }: Config['retention'],
): Promise<z.output<typeof NEXT_DELETIONS>> {
  const periods = await queries(db)
    .selectFrom(writePeriodsSql(user, serverDays).as('p'))
    .selectAll()
    .executeTakeFirstOrThrow()
  const records: Readonly<Record<keyof Periods, Records>> = {
    incoming: writeTextsSql(user, mode, 'incoming'),
    outgoing: writeTextsSql(user, mode, 'outgoing'),
    files: writeFilesSql(user),
    consents: sql`(${selectReplaced(db, user, 0).select(REPLACED_AT.as('at'))}) r`,
  }
  const kinds = []
  for (const kind of ['incoming', 'outgoing', 'files', 'consents'] as const) {
    const days = periods[kind]
    const next =
      days &&
      (await queries(db, 'shaped')
        .selectFrom(writeNextSql(days, records[kind]).as('n'))
        .selectAll()
        .executeTakeFirstOrThrow())
    kinds.push({ kind, days: days ?? 0, ...(next || { next_at: '', count: 0 }) })
  }
  const groups = await queries(db, 'shaped')
    .selectFrom(({ selectFrom }) =>
      selectFrom('contact_groups')
        .select(['id', 'name', 'user', 'keep_days as days'])
        .where('user', '=', user)
        .where('keep_days', '>', 0)
        .orderBy('name')
        .limit(sql.lit(MAX_GROUPS))
        .as('g'),
    )
    .crossJoinLateral(writeNextSql(sql`g.days`, writeMemberTextsSql(mode)).as('n'))
    .select(['g.id', 'g.name', 'g.days', 'n.next_at', 'n.count'])
    .orderBy('g.name')
    .execute()
  return { mode, kinds, groups }
}
