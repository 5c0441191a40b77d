import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import { makeAccountSender } from '../../base/make-sender.ts'
import { checkVerification } from '../../codes/check-code.ts'
import { findOrMakeService } from '../../codes/find-service.ts'
import { addConsentEntry } from '../consent-entries.ts'
import type { JoinPage } from './join-page.ts'
import { SERVICE, type Visitor } from './send-join-question.ts'

/**
 * Checks the code that a number got, and confirms that the number joins the group. False for a wrong code,
 * and if no code or no question waits: a visitor cannot find out whether a number was texted. The code and
 * the entry are one transaction.
 */
export async function confirmCode(
  store: Store,
  page: JoinPage,
  { number, address, browser }: Visitor,
  code: string,
): Promise<boolean> {
  const { user, group } = page
  const service = await findOrMakeService(store, user, SERVICE)
  return store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    const named = { id: '', to: number, service, code }
    const { status } = await checkVerification(inside, makeAccountSender(user, user), named)
    const question = status === 'approved' ? await findJoinQuestion(db, page, number) : undefined
    if (!question) return false
    const proof = { ...question, source: 'page', address, browser } as const
    await addConsentEntry(db, { ...proof, user, number, group, event: 'confirmed' })
    return true
  })
}

/** The text that the number agreed to, if the question to it has not expired. */
const findJoinQuestion = (db: Db, { user, group }: JoinPage, number: string) =>
  queries(db)
    .selectFrom('consent_states as s')
    .innerJoin('consents as e', (join) => join.on('e.id', '=', sql<string>`consent_question(s.id)`))
    .select(['e.shown', 'e.version'])
    .where('s.user', '=', user)
    .where('s.number', '=', number)
    .where('s.group', '=', group)
    .where('s.until', '<>', '')
    .where('e.source', '=', sql.lit('page'))
    .executeTakeFirst()
