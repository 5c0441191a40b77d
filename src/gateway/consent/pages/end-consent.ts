import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import { lockUserSends } from '../../base/lock-user-sends.ts'
import { addConsentEntry, hashShownText } from '../consent-entries.ts'
import { setOptedOut } from '../set-opted-out.ts'
import { type LeavePage, leaveText } from './leave-page.ts'
import type { Visitor } from './send-join-question.ts'

/**
 * Ends the texts of an account to the person of a link: of a group, or all if `group` is ''. Unclaimed texts
 * end, too. Nothing changes if they are ended already.
 */
export async function endConsent(
  store: Store,
  page: LeavePage,
  group: string,
  { address, browser }: Omit<Visitor, 'number'>,
): Promise<void> {
  const { user, number } = page
  const shown = leaveText(page)
  const proof = { source: 'page', shown, version: hashShownText(shown), address, browser } as const
  await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    await lockUserSends(db, user)
    if (group === '') await setOptedOut(inside, user, number, true, proof)
    else if (!(await hasLeftGroup(db, page, group)))
      await addConsentEntry(db, { ...proof, user, number, group, event: 'opt_out' })
  })
}

/** Whether the number has left the group. STOP, which ends all texts, leaves no group. */
async function hasLeftGroup(db: Db, { user, number }: LeavePage, group: string): Promise<boolean> {
  const left = await queries(db)
    .selectFrom('consent_states as s')
    .innerJoin('consents as e', (join) =>
      join.onRef('e.id', '=', 's.entry').onRef('e.group', '=', 's.group'),
    )
    .where('s.user', '=', user)
    .where('s.number', '=', number)
    .where('s.group', '=', group)
    .where('s.state', '=', sql.lit('stopped'))
    .executeTakeFirst()
  return left !== undefined
}
