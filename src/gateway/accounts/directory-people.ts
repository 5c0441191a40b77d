import { recordMemberAudit } from '../../engine/auth/write-audit-log.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { updateRecords } from '../base/message-status.ts'
import { renewAccount } from './members.ts'

/** The name of SCIM in `directory` of `members`. */
export const SCIM_DIRECTORY = 'scim'

/**
 * Hands a membership over to the SCIM directory, which alone changes it from then on, also one that people or
 * an OAuth2 provider made. Returns its id and role; undefined if there is none. `by`: as in DirectoryRole.
 */
export async function adoptMembership(
  db: Db,
  { account, member, by }: Readonly<Record<'account' | 'member', string>> & { by?: string },
) {
  const found = await queries(db)
    .selectFrom('members')
    .select(['id', 'role', 'directory'])
    .where('account', '=', account)
    .where('member', '=', member)
    .executeTakeFirst()
  if (!found || found.directory === SCIM_DIRECTORY) return found
  await updateRecords(db, 'members', (update) =>
    update.set({ directory: SCIM_DIRECTORY, proven_until: '' }).where('id', '=', found.id),
  )
  await renewAccount(db, account)
  await recordMemberAudit(
    db,
    { id: account, sender: by ?? found.id },
    { action: 'update', collection: 'members', record: found.id, fields: ['directory'] },
  )
  return found
}

/** Links a person whom the directory had invited at this address to the user who accepted. */
export async function linkInvitedPerson(
  { db }: Pick<Store, 'db'>,
  { account, email, member }: Readonly<Record<'account' | 'email' | 'member', string>>,
): Promise<void> {
  if (email === '') return
  const linked = await updateRecords(db, 'directory_people', (update) =>
    update
      .set({ person: member })
      .where('user', '=', account)
      .where('active', '=', true)
      .where('person', '=', '')
      .where(({ fn }) => fn('lower', ['email']), '=', email.toLowerCase()),
  )
  if (linked.length === 0) return
  const membership = await adoptMembership(db, { account, member })
  const { role } = await queries(db)
    .selectFrom('directory_people')
    .select('role')
    .where('id', '=', linked[0]!)
    .executeTakeFirstOrThrow()
  // people may have invited the same address with another role
  if (membership && role !== '' && role !== membership.role)
    await updateRecords(db, 'members', (update) =>
      update.set({ role }).where('id', '=', membership.id),
    )
}
