import type { Db } from '../db/open.ts'
import { PUSH_PAUSE } from '../sms/conversations/heard.ts'

/** The right of a node to notify a user of conversations, until the instant `until`. */
export interface PushLease {
  readonly user: string
  readonly conversations: readonly string[]
  readonly until: string
}

/** Longer than the pushes of one lease take: then its node died, and another one pushes. */
const LEASE = `interval '3 minutes'`
/** Conversations of one poll. */
export const MAX_LEASED = 200

const TAKE = `
with due as (
  select conversation from push_queue where state <> 'done' and due_at <= now()
  order by due_at limit ${MAX_LEASED} for update skip locked
), leased as (
  update push_queue q set state = 'leased', due_at = now() + ${LEASE} from due
  where q.conversation = due.conversation returning q.conversation, q."user", q.due_at
)
select "user", json_agg(conversation)::text, due_at::text from leased group by "user", due_at`

/** Leases what is due: at most `MAX_LEASED` conversations, one lease for each user. */
export async function leasePushes(db: Db): Promise<PushLease[]> {
  const { rows } = await db.query(TAKE, [], 'push lease')
  return rows.map(([user, conversations, until]) => ({
    user: String(user),
    conversations: JSON.parse(String(conversations)),
    until: String(until),
  }))
}

const END = `
update push_queue set state = 'done', due_at = now() + ${PUSH_PAUSE}
where conversation = any($1) and state = 'leased' and due_at = $2::timestamptz`

/** Ends a lease after its pushes. Conversations with newer texts wait for their next push. */
export async function endPushLease(db: Db, { conversations, until }: PushLease): Promise<void> {
  await db.query(END, [conversations, until], 'push end lease')
}

/** Pushes of an account in an hour, to all its browsers at once. */
const MAX_AN_HOUR = 60

const COUNT = `
insert into push_hours as h ("user", pushes, ends) values ($1, 1, now() + interval '1 hour')
on conflict ("user") do update set
  pushes = case when h.ends <= now() then 1 else h.pushes + 1 end,
  ends = case when h.ends <= now() then excluded.ends else h.ends end
where h.ends <= now() or h.pushes < ${MAX_AN_HOUR}
returning pushes`

/** Counts a push of an account. False when it has had all of this hour. */
export const countPush = async (db: Db, user: string): Promise<boolean> =>
  (await db.query(COUNT, [user], 'push count')).rows.length > 0

/** Deletes rows that limit nothing any more. */
export async function cleanUpPushes(db: Db): Promise<void> {
  await db.query(`delete from push_queue where state = 'done' and due_at <= now()`)
  await db.query('delete from push_hours where ends <= now()')
}
