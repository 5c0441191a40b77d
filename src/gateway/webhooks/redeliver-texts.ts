import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { acquireLock } from '../../platform/db/queries.ts'
import { makeOverLimit } from '../../platform/limits/limit-holder.ts'

/** Maximum webhook calls of one inbox refresh: 20,000 in one statement would take seconds. */
const MAX_CALLS = 1_000

/** Texts that a user received in a period, of one device unless that is ''. */
interface ReceivedTexts {
  readonly since: string
  readonly until: string
  readonly device: string
}

/**
 * SQL: the texts that the user received in a period: at most MAX_CALLS + 1, which is enough to see that there
 * are too many.
 */
const writeTextsSql = (user: string, { since, until, device }: ReceivedTexts) => sql`(
  select m.id, m."user" from sms_messages m
  where m."user" = ${user} and m.message_type = 'incoming' and m.delivered_at between ${since} and ${until}
    and ${device === '' ? sql`true` : sql`m.device = ${device}`}
  limit ${sql.lit(MAX_CALLS + 1)})`

const writeReceiversSql = (user: string) => sql`(
  select w.id from webhooks w where w."user" = ${user} and w.enabled and w.smsgate_event = 'sms:received')`

const countCalls = (db: Db, user: string, texts: ReceivedTexts) =>
  evaluateSql(
    db,
    sql<number>`(select count(*) from ${writeTextsSql(user, texts)} t cross join ${writeReceiversSql(user)} w)`,
  )

const queueCalls = (db: Db, user: string, texts: ReceivedTexts) =>
  evaluateSql(
    db,
    sql`(select webhook_queue(array_agg(
        row(pb_new_id(), w.id, t."user", t.event_id, 'message.received', t.id, null, null)::webhook_call))
      from (select *, pb_new_id() as event_id from ${writeTextsSql(user, texts)} m) t
      cross join ${writeReceiversSql(user)} w)`,
  )

const RETRY_SECONDS = 60

/**
 * Counts waiting webhook calls, at most MAX_CALLS per webhook. The inner limit makes Postgres use the index.
 */
const countWaitingCalls = (db: Db, user: string) =>
  evaluateSql(
    db,
    sql<number>`(select count(*) from ${writeReceiversSql(user)} w cross join lateral (
      select from webhook_dispatch d where d."user" = ${user} and d.webhook = w.id and d.handed_at is null
      limit ${sql.lit(MAX_CALLS)}) waiting)`,
  )

/**
 * Repeats a user's `sms:received` webhook calls for a period. Throws 400 if there are more than MAX_CALLS,
 * and 429 while MAX_CALLS earlier ones wait: many refreshes would fill the disk.
 */
export function redeliverTexts({ db }: Store, user: string, texts: ReceivedTexts): Promise<void> {
  return db.transaction(async (inside) => {
    await acquireLock(inside, LOCKS.inboxRefresh, user)
    if ((await countWaitingCalls(inside, user)) >= MAX_CALLS)
      throw makeOverLimit(
        'texts of an earlier refresh that wait for their webhooks',
        true,
        RETRY_SECONDS,
      )
    if ((await countCalls(inside, user, texts)) > MAX_CALLS)
      throw invalidRequest(
        `This would be more than ${MAX_CALLS} calls, one for each text and webhook: ask for a shorter time`,
      )
    await queueCalls(inside, user, texts)
  })
}
