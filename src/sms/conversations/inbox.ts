import { z } from 'zod'
import type { Db } from '../../db/open.ts'
import { objectsOf } from '../../db/rows.ts'

/** A view with more conversations has this number. */
const MAX_COUNT = 1_000

const WAITING = `unanswered and not archived and follow_up_at = ''`

/** The views of an inbox, as conditions on conversations. `$2`: the person's sender. */
const VIEWS = {
  mine: `assignee = $2 and assignee <> '' and not archived and not blocked`,
  unassigned: `assignee = '' and ${WAITING}`,
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
    unassigned: COUNT.describe(
      'Those that wait and are nobody\'s: the filter of `waiting` and `assignee = ""`.',
    ),
    all: COUNT.describe('`archived = false && blocked = false`'),
    waiting: COUNT.describe('`unanswered = true && archived = false && follow_up_at = ""`'),
    archived: COUNT.describe('`archived = true && blocked = false`'),
    blocked: COUNT.describe('`blocked = true`'),
    follow_up: COUNT.describe('`follow_up_at != ""`'),
  })
  .meta({ id: 'Inbox' })

const COUNTS = `select ${Object.entries(VIEWS)
  .map(
    ([name, where]) =>
      `(select count(*) from (select from conversations where "user" = $1 and ${where} limit ${MAX_COUNT}) c) as ${name}`,
  )
  .join(', ')}`

/** Counts the conversations of each view of the inbox, up to 1,000. `sender`: the caller. */
export async function countInbox(db: Db, user: string, sender: string): Promise<z.output<typeof INBOX>> {
  const [counts] = objectsOf<z.output<typeof INBOX>>(await db.shaped(COUNTS, [user, sender], 'inbox counts'))
  return counts!
}
