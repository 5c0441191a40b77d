import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Value } from '../../engine/fields/field.ts'
import { noteChanges } from '../../engine/records/log-changes.ts'
import type { Db } from '../../platform/db/open.ts'
import { anyFound, anyOf, NOW, queries } from '../../platform/db/queries.ts'
import { fieldError, invalidFields } from '../../platform/errors.ts'

/**
 * Kind of the jobs that push to browsers. Payload: conversation ids; for a mention `conversation@sender`; for
 * a text that failed `conversation@sender@message`, without a sender if no person wrote it.
 */
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
 * deadlocks. A blocked conversation counts no unread texts. A text that opts out needs no answer. A reaction
 * leaves it as it is whether the person waits for an answer.
 */
export const INCOMING_TEXT_CTES = `heard as (
  insert into conversations (id, "user", number, name, last_text, last_at, last_type, last_message, device, line,
    unread, unanswered, asked_at, archived, created, updated)
  select pb_new_id(), $1, n."from",
    coalesce((select c.name from contacts c where c."user" = $1 and c.phone = n."from"), ''),
    left(n.body, 1600), pb_text(now()), 'incoming', n.id, $2, n.line, n.texts, n.asks, n.asked_at,
    false, pb_text(now()), pb_text(now())
  from (
    select distinct on (t."from" collate "C") t."from", t.id, t.body, changed.line,
      count(*) over (partition by t."from" collate "C") as texts,
      case when t.reacts then bool_or(not (t.reacts or t.stops)) over (partition by t."from" collate "C")
        or exists (select from conversations o where o."user" = $1 and o.number = t."from" and o.unanswered)
        else not t.stops end as asks,
      case when t.stops then '' when t.reacts and not bool_or(not (t.reacts or t.stops)) over (partition by t."from" collate "C")
        then coalesce((select o.asked_at from conversations o where o."user" = $1 and o.number = t."from"), '')
        else pb_text(now()) end as asked_at
    from json_to_recordset($4) t(id text, "from" text, body text, at text, stops boolean, reacts boolean)
    join changed on changed.id = t.id
    where t."from" <> ''
    order by t."from" collate "C", t.at desc, t.id
  ) n
  on conflict ("user", number) do update set
    last_text = excluded.last_text, last_at = greatest(conversations.last_at, excluded.last_at),
    last_type = 'incoming', last_message = excluded.last_message, device = excluded.device,
    line = case when excluded.line = '' then conversations.line else excluded.line end,
    unread = case when conversations.blocked then 0 else conversations.unread + excluded.unread end,
    unanswered = excluded.unanswered and not conversations.blocked, asked_at = excluded.asked_at,
    archived = conversations.archived and conversations.blocked, follow_up_at = '', updated = excluded.updated
  returning id, "user", xmax = 0 as is_new, blocked
), heard_changes as (
  insert into _changes (collection, action, record)
  select 'conversations', case when is_new then 'create' else 'update' end, id from heard
  where exists (select from _listeners)
), heard_pushes as (${queuePushes('select "user", id from heard where not blocked')})`

const MAX_COUNT = 1_000

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
    unread: COUNT.describe('`unread > 0 && archived = false && blocked = false`'),
    failed: COUNT.describe('`failure != "" && failure != "Canceled" && archived = false && blocked = false`'),
  })
  .meta({ id: 'Inbox' })

/** Counts the conversations of each view of the inbox, up to 1,000. `sender`: the caller's id. */
export async function countInbox(db: Db, user: string, sender: string): Promise<z.output<typeof INBOX>> {
  const count = (where: RawBuilder<boolean>) => sql<number>`(
    select count(*) from (select from conversations where "user" = ${user} and ${where} limit ${sql.lit(MAX_COUNT)}) c)`
  return await queries(db, 'shaped')
    .selectNoFrom([
      count(sql`assignee = ${sender} and assignee <> '' and not archived and not blocked`).as('mine'),
      count(sql`assignee = '' and not archived and not blocked`).as('unassigned'),
      count(sql`not archived and not blocked`).as('all'),
      count(sql`unanswered and not archived and follow_up_at = ''`).as('waiting'),
      count(sql`archived and not blocked`).as('archived'),
      count(sql`blocked`).as('blocked'),
      count(sql`follow_up_at <> ''`).as('follow_up'),
      count(sql`unread > 0 and not archived and not blocked`).as('unread'),
      count(sql`failure <> '' and failure <> 'Canceled' and not archived and not blocked`).as('failed'),
    ])
    .executeTakeFirstOrThrow()
}

const MAX_DUE = 1_000

/** Unarchives conversations whose reminder is due, marks them unread and unanswered, and queues pushes. */
export async function bringBackDue(db: Db): Promise<void> {
  while ((await bringBackSome(db)) === MAX_DUE);
}

/** Brings back at most MAX_DUE conversations. `skip locked`: nodes do not wait for each other. */
async function bringBackSome(db: Db): Promise<number> {
  const changed = await queries(db)
    .with('due', (query) =>
      query
        .selectFrom('conversations')
        .select('id')
        .where('follow_up_at', '<>', sql.lit(''))
        .where('follow_up_at', '<=', NOW)
        .orderBy('follow_up_at')
        .limit(sql.lit(MAX_DUE))
        .forUpdate()
        .skipLocked(),
    )
    .with('written', (query) =>
      query
        .updateTable('conversations as c')
        .from('due')
        .set({ follow_up_at: '', unanswered: true, archived: false, updated: NOW })
        .set({ unread: sql<number>`greatest(c.unread, 1)` })
        .whereRef('c.id', '=', 'due.id')
        .returning(['c.id', 'c.user']),
    )
    .with('pushes', () => sql`(${sql.raw(queuePushes('select "user", id from written'))})`)
    .with('noted', noteChanges('update', 'conversations', 'ids'))
    .selectFrom('written')
    .execute()
  return changed.length
}

const NOT_ASSIGNABLE = fieldError('validation_invalid_assignee', 'Must be the owner or a member who answers.')

/** Throws 400 unless the assignee is the account's owner or a member who may answer. */
export async function checkAssignee(
  { db }: Store,
  { assignee, user }: Readonly<Record<string, Value>>,
): Promise<void> {
  if (!assignee) return
  const found = await queries(db)
    .selectFrom('senders as s')
    .where('s.id', '=', String(assignee))
    .where('s.user', '=', String(user))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('s.kind', '=', 'owner'),
        exists(selectFrom('members as m').whereRef('m.id', '=', 's.id').where('m.role', '<>', 'viewer')),
      ]),
    )
    .executeTakeFirst()
  if (!found) throw invalidFields({ assignee: NOT_ASSIGNABLE })
}

/** Assigns unassigned conversations with these phone numbers in turn, if the account's settings say so. */
export async function assignInTurn(db: Db, user: string, numbers: Iterable<string>): Promise<void> {
  const assign = sql`conversations_assign(${user}, ${[...numbers]}::text[])`
  await queries(db).selectNoFrom(assign.as('assigned')).execute()
}
