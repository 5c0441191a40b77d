import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { queries } from '../db/queries.ts'
import { failMessages, failUnsent } from '../sms/queue/fail-messages.ts'
import { lockUserSends } from '../sms/send/accept.ts'
import { REASONS } from '../sms/status.ts'
import { isOfPerson, type Person } from './person.ts'

/**
 * Puts a person on the stop list and ends all open texts to the person, in one transaction: no later send is
 * accepted. Texts that a device holds may still be sent.
 */
export async function stopTexts(db: Db, person: Person): Promise<void> {
  await db.transaction(async (inside) => {
    await lockUserSends(inside, person.user)
    await queries(inside)
      .insertInto('_stop_list')
      .values({ user: person.user, hash: sql`person_hash(${person.user}, ${person.number})` })
      .onConflict((found) => found.doNothing())
      .execute()
    await failUnsent(inside, selectOpen(inside, person, false), REASONS.canceled)
    await failMessages(inside, selectOpen(inside, person, true), REASONS.canceled)
  })
}

/** Locks the queue rows of open texts to a person. `isClaimed`: of those that a device holds. */
const selectOpen = (db: Db, person: Person, isClaimed: boolean) =>
  queries(db)
    .selectFrom('sms_messages as m')
    .innerJoin('sms_dispatch as d', 'd.message', 'm.id')
    .select('d.message')
    .where(isOfPerson(person))
    .where('d.state', isClaimed ? '=' : '<>', sql.lit('sending'))
    .orderBy('d.message')
    .forUpdate('d')
