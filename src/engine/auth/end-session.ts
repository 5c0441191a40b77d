import { sql } from 'kysely'
import { notFound } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { makeAccountHolder } from '../../platform/limits/limit-holder.ts'
import type { Store } from '../collections/catalog.ts'
import { USERS_ID } from '../collections/collection.ts'
import { toTableName } from '../collections/sql-names.ts'
import { ENDED_SESSIONS } from '../records/check-auth-version.ts'
import { logChange } from '../records/log-changes.ts'
import type { AuthRecord } from '../request/request.ts'
import type { InSameTransaction } from './change-auth-record.ts'
import { MAX_AGENT_LENGTH } from './sign-in-sessions.ts'

const endListedSessions = (db: Db, auth: AuthRecord, id: string) =>
  queries(db)
    .updateTable('auth_sessions')
    .set({ ended_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('collection', '=', auth.collection.id)
    .where('record', '=', auth.id)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('user_agent')
    .executeTakeFirst()

const endPushes = (db: Db, user: string, agent: string) =>
  queries(db)
    .deleteFrom('push_subscriptions')
    .where(({ or, and, eb, selectFrom }) =>
      or([
        and([eb('user', '=', user), eb('sender', '=', '')]),
        eb('sender', 'in', selectFrom('members').select('id').where('member', '=', user)),
      ]),
    )
    .where(sql`left(user_agent, ${sql.lit(MAX_AGENT_LENGTH)})`, '=', agent)
    .execute()

/**
 * Ends a session and its push notifications. Closes the account's event streams, even those of other
 * sessions. Throws 404.
 */
export async function endSession(
  { db }: Store,
  auth: AuthRecord,
  id: string,
  also?: InSameTransaction,
) {
  const { collection, id: record } = auth
  await db.transaction(async (inside) => {
    const ended = await endListedSessions(inside, auth, id)
    if (!ended) throw notFound()
    // changes the row's `xmin`, so that server processes reload the record that they have cached
    await sql`update ${sql.id(toTableName(collection))} set id = id where id = ${record}`.execute(
      inside,
    )
    if (collection.id === USERS_ID) await endPushes(inside, record, ended.user_agent)
    await logChange(
      { db: inside },
      { id: ENDED_SESSIONS },
      'delete',
      makeAccountHolder(collection.id, record),
    )
    await also?.(inside, auth)
  })
}
