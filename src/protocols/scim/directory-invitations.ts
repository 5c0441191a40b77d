import { countSignInTry } from '../../engine/auth/attempt-limits.ts'
import { formatNow } from '../../engine/fields/parse-date.ts'
import { deleteRecords } from '../../engine/records/cascade.ts'
import type { Role } from '../../engine/request/request.ts'
import { tooManyTries } from '../../platform/api-errors.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Directory } from './directory.ts'
import { type DirectoryPerson, markPerson } from './person.ts'
import { scimRefusal } from './scim-errors.ts'

// People of a directory who are no members yet, and must accept an invitation first.

/** Deletes the open invitations of a person. */
export async function deleteInvitations(
  { store, services, account }: Directory,
  { email }: DirectoryPerson,
): Promise<void> {
  const open = await queries(store.db)
    .selectFrom('member_invitations')
    .select('id')
    .where('account', '=', account)
    .where(({ fn }) => fn('lower', ['email']), '=', email.toLowerCase())
    .execute()
  const ids = open.map(({ id }) => id)
  const invitations = store.catalog.find('member_invitations')!
  if (ids.length > 0) await deleteRecords(store, services.extensions, invitations, ids)
}

/** Gives an open invitation the role that the person would have now. */
export async function changeInvitedRole(
  directory: Directory,
  person: DirectoryPerson,
  role: Role,
): Promise<void> {
  const { store, account } = directory
  if (person.role !== role) await markPerson(directory, person, { role })
  await queries(store.db)
    .updateTable('member_invitations')
    .set({ role })
    .where('account', '=', account)
    .where(({ fn }) => fn('lower', ['email']), '=', person.email.toLowerCase())
    .where('role', '<>', role)
    .execute()
}

/** Invitations that an account's directory may mail in an hour. */
const MAX_MAILS = 100
const HOUR_SECONDS = 3_600

/** Notes that a person is invited. Returns the role for the mail; undefined if one was sent before. */
export async function waitForPerson(
  directory: Directory,
  person: DirectoryPerson,
  role: Role,
): Promise<Role | undefined> {
  const { store, services, account } = directory
  await changeInvitedRole(directory, person, role)
  if (person.invited !== '') {
    if (person.person !== '') await markPerson(directory, person, { person: '' })
    return undefined
  }
  if (!services.settings.current.smtp.enabled)
    throw scimRefusal(
      400,
      `This server sends no mail, so ${person.email} cannot be invited. A superuser can name the domain in directory_domains of user_settings.`,
    )
  const key = `directory mail of ${account}`
  const wait = await countSignInTry(store.db, key, MAX_MAILS, HOUR_SECONDS)
  if (wait > 0) throw tooManyTries(wait)
  await markPerson(directory, person, { invited: formatNow(), person: '' })
  return role
}
