import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { LABEL_COLORS } from '../../portable/label-colors.ts'

const MAX_COUNT = 1_000

const COUNT = z.int().min(0).max(MAX_COUNT)

/** At most 100 of an account. */
const LABELS = z
  .array(
    z
      .object({ id: z.string(), name: z.string(), color: z.enum(LABEL_COLORS) })
      .meta({ id: 'Label' }),
  )
  .describe('The labels of the account, by name.')

const COUNTS = z.object({
  mine: COUNT.describe("The caller's: `assignee = SENDER && archived = false && blocked = false`."),
  unassigned: COUNT.describe('Nobody\'s: `assignee = "" && archived = false && blocked = false`.'),
  all: COUNT.describe('`archived = false && blocked = false`'),
  waiting: COUNT.describe('`unanswered = true && archived = false && follow_up_at = ""`'),
  archived: COUNT.describe('`archived = true && blocked = false`'),
  blocked: COUNT.describe('`blocked = true`'),
  follow_up: COUNT.describe('`follow_up_at != ""`'),
  unread: COUNT.describe('`unread > 0 && archived = false && blocked = false`'),
  failed: COUNT.describe(
    '`failure != "" && failure != "Canceled" && archived = false && blocked = false`',
  ),
})

export const INBOX = COUNTS.extend({ labels: LABELS }).meta({ id: 'Inbox' })

/** Counts the conversations of each view of the inbox, up to 1,000. `sender`: the caller's id. */
export async function countInbox(
  db: Db,
  user: string,
  sender: string,
): Promise<z.output<typeof COUNTS>> {
  const count = (where: RawBuilder<boolean>) => sql<number>`(
    select count(*) from (select from conversations where "user" = ${user} and ${where} limit ${sql.lit(MAX_COUNT)}) c)`
  return await queries(db, 'shaped')
    .selectNoFrom([
      count(sql`assignee = ${sender} and assignee <> '' and not archived and not blocked`).as(
        'mine',
      ),
      count(sql`assignee = '' and not archived and not blocked`).as('unassigned'),
      count(sql`not archived and not blocked`).as('all'),
      count(sql`unanswered and not archived and follow_up_at = ''`).as('waiting'),
      count(sql`archived and not blocked`).as('archived'),
      count(sql`blocked`).as('blocked'),
      count(sql`follow_up_at <> ''`).as('follow_up'),
      count(sql`unread > 0 and not archived and not blocked`).as('unread'),
      count(sql`failure <> '' and failure <> 'Canceled' and not archived and not blocked`).as(
        'failed',
      ),
    ])
    .executeTakeFirstOrThrow()
}

/** What the inbox shows beside its conversations: their counts by view, and the labels of the account. */
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
  return { ...(await countInbox(db, user, sender)), labels }
}
