import { accountHolder } from '../../admission/holder.ts'
import { quote, type Store, tableName, USERS_ID } from '../../collections/catalog.ts'
import { runForRow, sql, statement, type Texts, tables } from '../../db/statements/statement.ts'
import { notFound } from '../../errors.ts'
import { logChange } from '../../records/changes.ts'
import { ENDED_SESSIONS } from '../../records/fresh-auth.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { InSameTransaction } from '../account/change.ts'

const END = statement('session end', ({ id, collection, record }: Texts<'id' | 'collection' | 'record'>) =>
  tables
    .updateTable('auth_sessions')
    .set({ ended_at: sql<Date>`now()` })
    .where(({ and }) => and({ id, collection, record, ended_at: null }))
    .where(sql<boolean>`expires_at > now()`)
    .returning('user_agent'),
)

/** Subscriptions do not name their browser, so all of the person with this user agent end. */
const END_PUSHES = `
delete from push_subscriptions
where ("user" = $1 and sender = '' or sender in (select id from members where member = $1)) and left(user_agent, 300) = $2`

/**
 * Ends a session: its tokens are refused, its browsers get no notifications, event streams of the account
 * close (others reconnect). Throws 404. `also`: further work in the transaction.
 */
export async function endSession({ db }: Store, auth: AuthRecord, id: string, also?: InSameTransaction) {
  const { collection, id: record } = auth
  await db.transaction(async (inside) => {
    const ended = await runForRow(inside, END, { id, collection: collection.id, record })
    if (!ended) throw notFound()
    // Makes a new version of the row, so that nodes reload the cached record.
    const touch = `update ${quote(tableName(collection))} set id = id where id = $1`
    await inside.query(touch, [record])
    if (collection.id === USERS_ID) await inside.query(END_PUSHES, [record, ended.user_agent])
    await logChange({ db: inside }, { id: ENDED_SESSIONS }, 'delete', accountHolder(collection.id, record))
    await also?.(inside, auth)
  })
}
