import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../collections/catalog.ts'
import { LOCKS } from '../../db/advisory-locks.ts'
import { readParam, writeParam } from '../../db/params.ts'
import { formatDate } from '../../fields/types/date.ts'

/** How far it has come: `done`, or the user and number of the last one. */
const PARAM = 'conversations'
/** Numbers of one transaction. */
const BATCH = 200
/** Between two batches, for whoever else wants the database. */
const PAUSE_MS = 50
/** A number whose last text came in before that gets no conversation until the next one. */
const MAX_AGE_MS = 365 * 86_400_000

interface Progress {
  readonly user: string
  readonly number: string
  readonly done: boolean
}

const START: Progress = { user: '', number: '', done: false }

/** The next senders by user and number, an index look each, and their conversations as far as missing. */
const FILL = `
with recursive senders(owner, number) as (
  (select m."user", m."from" from sms_messages m
    where m."from" <> '' and (m."user", m."from") > ($1, $2) order by m."user", m."from" limit 1)
  union all
  select n."user", n."from" from senders s cross join lateral (
    select m."user", m."from" from sms_messages m
    where m."from" <> '' and (m."user", m."from") > (s.owner, s.number) order by m."user", m."from" limit 1
  ) n
), batch as (
  select owner, number from senders limit ${BATCH}
), filled as (
  insert into conversations (id, "user", number, name, last_text, last_at, last_type, last_message, device, unread,
    unanswered, archived, created, updated)
  select pb_new_id(), b.owner, b.number, l.name, l.body, l.at, l.type, l.id, l.device, 0,
    l.type = 'incoming', false, pb_text(now()), pb_text(now())
  from batch b join users u on u.id = b.owner cross join lateral sms_conversation_last(b.owner, b.number) l
  where l.heard >= $3 order by b.owner collate "C", b.number collate "C"
  on conflict ("user", number) do nothing
)
select owner, number from batch order by owner collate "C" desc, number collate "C" desc limit 1`

/**
 * Makes the conversations of a database from before there were any, from the texts that came in during the
 * last year; all count as read. In batches until none is left or `signal` ends it; it may be killed at any
 * point and goes on there. Once done it is never done again. Nothing while another node is at it.
 */
export async function fillConversations(store: Store, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await fillBatch(store))) await sleep(PAUSE_MS)
}

/** Whether there may be more. */
function fillBatch(store: Store): Promise<boolean> {
  return store.db.transaction(async (db) => {
    const { rows } = await db.query('select pg_try_advisory_xact_lock($1)', [LOCKS.conversationFill])
    if (!rows[0]![0]) return false
    const progress: Progress = JSON.parse((await readParam(db, PARAM)) ?? 'null') ?? START
    if (progress.done) return false
    const since = formatDate(new Date(Date.now() - MAX_AGE_MS))
    const [last] = (await db.query(FILL, [progress.user, progress.number, since])).rows
    const next = last ? { user: last[0], number: last[1], done: false } : { ...progress, done: true }
    await writeParam(db, PARAM, JSON.stringify(next))
    return !next.done
  })
}
