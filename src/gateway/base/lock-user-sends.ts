import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'

/** Locks a user's sends until the transaction `db` ends, so that later sends see its changes. */
export async function lockUserSends(db: Db, user: string): Promise<void> {
  await queries(db)
    .insertInto('sms_turns')
    .columns(['user'])
    .expression((from) => from.selectFrom('users').select('id').where('id', '=', user))
    .onConflict((found) => found.doNothing())
    .execute()
  await queries(db).selectFrom('sms_turns').where('user', '=', user).forUpdate().execute()
}
