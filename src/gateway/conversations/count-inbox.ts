import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { parseJson } from '../../platform/tools/json.ts'
import {
  findAssignee,
  INBOX_STATES,
  type InboxState,
  VIEW_SORTS,
  type ViewConditions,
} from '../../portable/inbox-views.ts'
import { LABEL_COLORS } from '../../portable/label-colors.ts'

const MAX_COUNT = 1_000
/** Maximum conversations, the newest, that are marked if their numbers have opted out. */
const MOST_MARKED = 100
/** The highest count of a saved view. An index serves its labels, or one of its states. */
const MAX_VIEW_COUNT = 100

const COUNT = z.int().min(0).max(MAX_COUNT)
const describeState = (state: InboxState) => COUNT.describe(`\`${INBOX_STATES[state]}\``)

const COUNTS = z.object({
  mine: COUNT.describe("The caller's: `assignee = SENDER && archived = false && blocked = false`."),
  unassigned: COUNT.describe('Nobody\'s: `assignee = "" && archived = false && blocked = false`.'),
  all: describeState('open'),
  waiting: describeState('waiting'),
  archived: describeState('archived'),
  blocked: describeState('blocked'),
  follow_up: describeState('follow_up'),
  unread: describeState('unread'),
  failed: describeState('failed'),
})

const LABEL = z
  .object({ id: z.string(), name: z.string(), color: z.enum(LABEL_COLORS) })
  .meta({ id: 'Label' })

const SAVED_VIEW = z
  .object({
    id: z.string(),
    name: z.string(),
    author: z.string(),
    shared: z.boolean(),
    state: z.enum(Object.keys(INBOX_STATES) as InboxState[]),
    assignee: z.string(),
    labels: z.array(z.string()),
    sort: z.enum(Object.keys(VIEW_SORTS) as (keyof typeof VIEW_SORTS)[]),
    count: z.int().min(0).max(MAX_VIEW_COUNT).describe('100 means 100 or more.'),
  })
  .meta({ id: 'SavedView' })

export const INBOX = COUNTS.extend({
  opted_out: z
    .array(z.string())
    .max(MOST_MARKED)
    .describe(
      `The numbers that have opted out of all texts, of the ${MOST_MARKED} newest conversations that are not archived.`,
    ),
  labels: z.array(LABEL).describe('The labels of the account, by name.'),
  views: z
    .array(SAVED_VIEW)
    .describe('The saved views of the caller and those that are shared, by name: `inbox_views`.'),
}).meta({ id: 'Inbox' })

const OPEN = sql<boolean>`not archived and not blocked`

/** The conditions of INBOX_STATES in SQL. */
const STATES: Readonly<Record<InboxState, RawBuilder<boolean>>> = {
  open: OPEN,
  waiting: sql`unanswered and not archived and follow_up_at = ''`,
  failed: sql`failure <> '' and failure <> 'Canceled' and ${OPEN}`,
  unread: sql`unread > 0 and ${OPEN}`,
  follow_up: sql`follow_up_at <> ''`,
  archived: sql`archived and not blocked`,
  blocked: sql`blocked`,
}

const countWhere = (user: string, where: RawBuilder<boolean>, most = MAX_COUNT) => sql<number>`(
  select count(*) from (select from conversations where "user" = ${user} and ${where} limit ${sql.lit(most)}) c)`

/** Counts the conversations of each view of the inbox, up to 1,000. `sender`: the caller's id. */
export async function countInbox(
  db: Db,
  user: string,
  sender: string,
): Promise<z.output<typeof COUNTS>> {
  const count = (where: RawBuilder<boolean>) => countWhere(user, where)
  return await queries(db, 'shaped')
    .selectNoFrom([
      count(sql`assignee = ${sender} and assignee <> '' and ${OPEN}`).as('mine'),
      count(sql`assignee = '' and ${OPEN}`).as('unassigned'),
      count(STATES.open).as('all'),
      count(STATES.waiting).as('waiting'),
      count(STATES.archived).as('archived'),
      count(STATES.blocked).as('blocked'),
      count(STATES.follow_up).as('follow_up'),
      count(STATES.unread).as('unread'),
      count(STATES.failed).as('failed'),
    ])
    .executeTakeFirstOrThrow()
}

/** The frame of the inbox around its conversations: counts, labels, and the saved views of the caller. */
export async function loadInbox(
  db: Db,
  user: string,
  sender: string,
): Promise<z.output<typeof INBOX>> {
  const labels = await queries(db)
    .selectFrom('labels')
    .select(['id', 'name', 'color'])
    .where('user', '=', user)
    .orderBy('name')
    .execute()
  const counts = await countInbox(db, user, sender)
  const opted_out = await findOptedOut(db, user)
  return { ...counts, opted_out, labels, views: await countViews(db, user, sender) }
}

/** The numbers of the newest conversations that have opted out. */
const findOptedOut = (db: Db, user: string): Promise<string[]> =>
  evaluateSql(
    db,
    sql`consent_stopped(${user}, array(
      select number from conversations where "user" = ${user} and not archived
      order by last_at desc limit ${sql.lit(MOST_MARKED)}))`,
  )

async function countViews(
  db: Db,
  user: string,
  sender: string,
): Promise<z.output<typeof SAVED_VIEW>[]> {
  const rows = await queries(db)
    .selectFrom('inbox_views')
    .select(['id', 'name', 'author', 'shared', 'state', 'assignee', 'labels', 'sort'])
    .where('user', '=', user)
    .where(({ or, eb }) => or([eb('shared', '=', true), eb('author', '=', sender)]))
    .orderBy('name')
    .execute()
  if (rows.length === 0) return []
  const views = rows.map((row) => ({ ...row, labels: readLabels(row.labels) }))
  const counts: Readonly<Record<string, number>> = await queries(db, 'shaped')
    .selectNoFrom(
      views.map((view) => countWhere(user, matchView(view, sender), MAX_VIEW_COUNT).as(view.id)),
    )
    .executeTakeFirstOrThrow()
  return views.map((view) => ({ ...view, count: counts[view.id]! }))
}

const readLabels = (json: string | null) => (parseJson(json ?? '[]') ?? []) as string[]

/** The condition in SQL of what `writeViewFilter` lists. */
function matchView({ state, assignee, labels }: ViewConditions, me: string): RawBuilder<boolean> {
  const conditions = [
    STATES[state],
    assignee !== '' && sql<boolean>`assignee = ${findAssignee(assignee, me)}`,
    labels.length > 0 && sql<boolean>`labels <> '{}' and labels && ${labels}::text[]`,
  ].filter((one) => one !== false)
  return sql`${sql.join(conditions, sql` and `)}`
}
