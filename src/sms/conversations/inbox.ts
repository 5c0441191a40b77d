import { z } from 'zod'
import type { Db } from '../../db/open.ts'
import { type Part, part, runForRow, statement, text } from '../../db/statement.ts'

const MAX_COUNT = 1_000

const WAITING = `unanswered and not archived and follow_up_at = ''`

/** The conditions of an inbox's views on conversations. `sender`: the person's id in `senders`. */
const VIEWS = {
  mine: part`assignee = ${text('sender')} and assignee <> '' and not archived and not blocked`,
  unassigned: `assignee = '' and not archived and not blocked`,
  all: 'not archived and not blocked',
  waiting: WAITING,
  archived: 'archived and not blocked',
  blocked: 'blocked',
  follow_up: `follow_up_at <> ''`,
}

const COUNT = z.int().min(0).max(MAX_COUNT)

/** How many conversations each view has. */
export const INBOX = z
  .object({
    mine: COUNT.describe("The caller's: `assignee = SENDER && archived = false && blocked = false`."),
    unassigned: COUNT.describe('Nobody\'s: `assignee = "" && archived = false && blocked = false`.'),
    all: COUNT.describe('`archived = false && blocked = false`'),
    waiting: COUNT.describe('`unanswered = true && archived = false && follow_up_at = ""`'),
    archived: COUNT.describe('`archived = true && blocked = false`'),
    blocked: COUNT.describe('`blocked = true`'),
    follow_up: COUNT.describe('`follow_up_at != ""`'),
  })
  .meta({ id: 'Inbox' })

const count = <W extends Part<unknown> | string>(where: W) => part`(
  select count(*) from (select from conversations where "user" = ${text('user')} and ${where} limit ${MAX_COUNT}) c)`

const COUNTS = statement('inbox counts', INBOX)`select
  ${count(VIEWS.mine)} as mine, ${count(VIEWS.unassigned)} as unassigned, ${count(VIEWS.all)} as all,
  ${count(VIEWS.waiting)} as waiting, ${count(VIEWS.archived)} as archived, ${count(VIEWS.blocked)} as blocked,
  ${count(VIEWS.follow_up)} as follow_up`

/** Counts the conversations of each view of the inbox, up to 1,000. `sender`: the caller. */
export async function countInbox(db: Db, user: string, sender: string): Promise<z.output<typeof INBOX>> {
  return (await runForRow(db, COUNTS, { user, sender }, 'shaped'))!
}
