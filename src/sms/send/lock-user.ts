import type { Db } from '../../db/open.ts'

const BEGIN = 'insert into sms_turns ("user") select id from users where id = $1 on conflict do nothing'
const HOLD = 'select 1 from sms_turns where "user" = $1 for update'

/** Locks a user's sends until the transaction `db` ends, so that later sends see its changes. */
export async function lockUserSends(db: Db, user: string): Promise<void> {
  await db.query(BEGIN, [user], 'sms hold begin')
  await db.query(HOLD, [user], 'sms hold')
}
