import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { REASONS } from '../base/message-status.ts'
import { type Person, writePersonCondition } from '../base/personal-data.ts'
import { failMessages, failUnsent } from '../messages/queue/fail-messages.ts'

/** Puts a person on the stop list: no later send is accepted. `db`: a transaction that locks the sends. */
export const stopPerson = (db: Db, { user, number }: Pick<Person, 'user' | 'number'>) =>
  queries(db)
    .insertInto('_stop_list')
    .values({ user, hash: sql`person_hash(${user}, ${number})` })
    .onConflict((found) => found.doNothing())
    .execute()

/** Ends all open texts to a person. Texts that a device holds may still be sent. */
export async function endOpenTexts(db: Db, person: Person): Promise<void> {
  await failUnsent(db, selectOpenTexts(db, person, false), REASONS.canceled)
  await failMessages(db, selectOpenTexts(db, person, true), REASONS.canceled)
}

/** Locks the queue rows of open texts to a person. `isClaimed`: of those that a device holds. */
const selectOpenTexts = (db: Db, person: Person, isClaimed: boolean) =>
  queries(db)
    .selectFrom('sms_messages as m')
    .innerJoin('sms_dispatch as d', 'd.message', 'm.id')
    .select('d.message')
    .where(writePersonCondition(person))
    .where('d.state', isClaimed ? '=' : '<>', sql.lit('sending'))
    .orderBy('d.message')
    .forUpdate('d')
