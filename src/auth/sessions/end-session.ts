import type { Store } from '../../collections/catalog.ts'
import { USERS_ID } from '../../collections/collection.ts'
import { quote, tableName } from '../../collections/names.ts'
import { notFound } from '../../errors.ts'
import { ENDED_SESSIONS } from '../../records/auth/ended-sessions.ts'
import { logChange } from '../../records/changes.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { InSameTransaction } from '../account/change.ts'

const END = `
update auth_sessions set ended_at = now()
where id = $1 and collection = $2 and record = $3 and ended_at is null and expires_at > now()
returning user_agent`

/** Which browser a subscription is of is not known: all that name themselves so. */
const END_PUSHES = 'delete from push_subscriptions where "user" = $1 and left(user_agent, 300) = $2'

/**
 * Ends one session of an account: its tokens are refused from now on, browsers like it show no notifications,
 * and the account's event streams are closed, of which those of other sessions come again. Throws 404.
 * `also`: what else happens in the transaction.
 */
export async function endSession(
  { db }: Store,
  auth: AuthRecord,
  id: string,
  also?: InSameTransaction,
): Promise<void> {
  const { collection, id: record } = auth
  await db.transaction(async (inside) => {
    const { rows } = await inside.query(END, [id, collection.id, record], 'session end')
    if (!rows[0]) throw notFound()
    // a new version of the row: nodes that remember the record ask again
    const touch = `update ${quote(tableName(collection))} set id = id where id = $1`
    await inside.query(touch, [record])
    if (collection.id === USERS_ID) await inside.query(END_PUSHES, [record, rows[0][0]])
    await logChange({ db: inside }, { id: ENDED_SESSIONS }, 'delete', `${collection.id}/${record}`)
    await also?.(inside, auth)
  })
}
