import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { list, type Part, part, run, runForRow, runForTexts, statement, text } from '../../db/statement.ts'
import { fieldError, invalidFields } from '../../errors.ts'
import type { Value } from '../../fields/field.ts'
import { changeLogCte, isDisabledSql } from '../../records/record-sql.ts'
import { logChanged } from '../status.ts'

/** Kind of the jobs that push to browsers. Payload: conversation ids; for a mention `conversation@sender`. */
export const PUSH = 'push'
const MAX_CONVERSATIONS = 100

/** SQL that queues pushes to browsers. `news`: a query with the columns "user" and `id` (a payload item). */
export const queuePushes = (news: string) => `
  insert into _jobs (kind, holder, key, payload, due_at)
  select '${PUSH}', n."user", n."user", to_json((array_agg(n.id))[:${MAX_CONVERSATIONS}]),
    greatest(now(), (select next_at from push_hours h where h."user" = n."user"))
  from (${news}) n
  where exists (select from push_subscriptions p where p."user" = n."user")
  group by n."user" order by n."user"
  on conflict (kind, key) do update set attempts = 0, dead_at = null, payload = (
    select json_agg(id) from (
      select json_array_elements_text(_jobs.payload) union select json_array_elements_text(excluded.payload)
      limit ${MAX_CONVERSATIONS}
    ) c(id))`

/**
 * CTEs for receive.ts that add texts to conversations and queue pushes to browsers. $1: user, $2: device, $4:
 * texts; the CTE `changed` has the new ids. Locks conversations by phone number, as sms_accept does, against
 * deadlocks. A blocked conversation counts no unread texts. A text that opts out needs no answer.
 */
export const INCOMING_TEXT_CTES = `heard as (
  insert into conversations (id, "user", number, name, last_text, last_at, last_type, last_message, device, line,
    unread, unanswered, archived, created, updated)
  select pb_new_id(), $1, n."from",
    coalesce((select c.name from contacts c where c."user" = $1 and c.phone = n."from"), ''),
    left(n.body, 1600), pb_text(now()), 'incoming', n.id, $2, n.line, n.texts, not n.stops, false, pb_text(now()), pb_text(now())
  from (
    select distinct on (t."from" collate "C") t."from", t.id, t.body, t.stops, changed.line,
      count(*) over (partition by t."from" collate "C") as texts
    from json_to_recordset($4) t(id text, "from" text, body text, at text, stops boolean)
    join changed on changed.id = t.id
    where t."from" <> ''
    order by t."from" collate "C", t.at desc, t.id
  ) n
  on conflict ("user", number) do update set
    last_text = excluded.last_text, last_at = greatest(conversations.last_at, excluded.last_at),
    last_type = 'incoming', last_message = excluded.last_message, device = excluded.device,
    line = case when excluded.line = '' then conversations.line else excluded.line end,
    unread = case when conversations.blocked then 0 else conversations.unread + excluded.unread end,
    unanswered = excluded.unanswered and not conversations.blocked,
    archived = conversations.archived and conversations.blocked, follow_up_at = '', updated = excluded.updated
  returning id, "user", xmax = 0 as is_new, blocked
), heard_changes as (
  insert into _changes (collection, action, record)
  select 'conversations', case when is_new then 'create' else 'update' end, id from heard
  where exists (select from _listeners)
), heard_pushes as (${queuePushes('select "user", id from heard where not blocked')})`

const CLEAR = statement('clear last texts', { id: 'string' })`
update conversations set last_text = '' where id = any(array(
  select id from conversations where last_message = any(${list('messages')}::text[]) and last_message <> '' and last_text <> ''
  order by "user", number for update
)) returning id`

/** Removes the texts of deleted or redacted messages from conversations. Returns the conversations' ids. */
export const clearLastTexts = (db: Db, messages: readonly string[]): Promise<string[]> =>
  runForTexts(db, CLEAR, { messages })

const MAX_COUNT = 1_000

const WAITING = `unanswered and not archived and follow_up_at = ''`

/** SQL conditions of the inbox's views. Their parameter `sender` is the caller's id in `senders`. */
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

/** Counts the conversations of each view of the inbox, up to 1,000. `sender`: the caller's id. */
export async function countInbox(db: Db, user: string, sender: string): Promise<z.output<typeof INBOX>> {
  return (await runForRow(db, COUNTS, { user, sender }, 'shaped'))!
}

const MAX_DUE = 1_000

/** Brings back conversations whose reminder is due. `skip locked`: nodes do not wait for each other. */
const BRING_BACK = statement('inbox follow-ups', {})`
with due as (
  select id from conversations where follow_up_at <> '' and follow_up_at <= pb_text(now())
  order by follow_up_at limit ${MAX_DUE} for update skip locked
), changed as (
  update conversations c set follow_up_at = '', unanswered = true, archived = false, unread = greatest(c.unread, 1),
    updated = pb_text(now())
  from due where c.id = due.id returning c.id, c."user"
), pushes as (${queuePushes('select "user", id from changed')}),
${changeLogCte('changed', 'update', 'conversations')}
select from changed`

/** Unarchives conversations whose reminder is due, marks them unread and unanswered, and queues pushes. */
export async function bringBackDue(db: Db): Promise<void> {
  for (;;) {
    const changed = await run(db, BRING_BACK, {})
    if (changed.length < MAX_DUE) return
  }
}

const ASSIGNABLE = statement('conversation assignee', {})`
select from senders s where s.id = ${text('assignee')} and s."user" = ${text('user')}
  and (s.kind = 'owner' or exists (select from members m where m.id = s.id and m.role <> 'viewer'))`
const NOT_ASSIGNABLE = fieldError('validation_invalid_assignee', 'Must be the owner or a member who answers.')

/** Throws 400 unless the assignee is the account's owner or a member who may answer. */
export async function checkAssignee(
  { db }: Store,
  { assignee, user }: Readonly<Record<string, Value>>,
): Promise<void> {
  if (!assignee) return
  const found = await runForRow(db, ASSIGNABLE, { assignee: String(assignee), user: String(user) })
  if (!found) throw invalidFields({ assignee: NOT_ASSIGNABLE })
}

/** Locks the account's settings: one assignment runs at a time. No row if automatic assignment is off. */
const LOCK = statement('inbox lock turns', {})`
select from user_settings where "user" = ${text('user')} and assign = 'turns' for update`

/** Assigns conversations to people in turn, first to the person whose last assignment is the oldest. */
const ASSIGN = statement('inbox assign in turn', { id: 'string' })`
with people as (
  select id, row_number() over (order by last nulls first, id) - 1 as place, count(*) over () as number
  from (
    select p.id, (
      select max(c.assigned_at) from conversations c where c."user" = ${text('user')} and c.assignee = p.id and c.assignee <> ''
    ) as last
    from (
      select ${text('user')} as id union all
      select m.id from members m
      where m.account = ${text('user')} and m.role in ('admin', 'agent') and not ${isDisabledSql('m.member')}
    ) p
  ) p
), free as (
  select id, row_number() over (order by number collate "C") - 1 as turn from conversations
  where "user" = ${text('user')} and number = any(${list('numbers')}::text[]) and unanswered and assignee = ''
)
update conversations c set assignee = p.id,
  assigned_at = pb_text(clock_timestamp() + f.turn * interval '1 millisecond')
from free f join people p on p.place = f.turn % p.number
where c.id = f.id returning c.id`

/** Assigns unassigned conversations with these phone numbers in turn, if the account's settings say so. */
export async function assignInTurn(db: Db, user: string, numbers: Iterable<string>): Promise<void> {
  if (!(await runForRow(db, LOCK, { user }))) return
  const assigned = await runForTexts(db, ASSIGN, { user, numbers: [...numbers] })
  await logChanged({ db }, 'conversations', 'update', assigned)
}
