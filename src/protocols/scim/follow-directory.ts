import { sql } from 'kysely'
import { findByEmail } from '../../engine/auth/find-auth-record.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { type AuthCollection, USERS_ID } from '../../engine/collections/collection.ts'
import { createRecord } from '../../engine/records/create-or-update.ts'
import { type AuthRecord, makeServerRequest, type Role } from '../../engine/request/request.ts'
import { adoptMembership, SCIM_DIRECTORY } from '../../gateway/accounts/directory-people.ts'
import { setDirectoryRole } from '../../gateway/accounts/directory-role.ts'
import { queries } from '../../platform/db/queries.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import type { Item } from './attributes.ts'
import { changeDirectory, type Directory, type DirectoryCaller } from './directory.ts'
import { changeInvitedRole, deleteInvitations, waitForPerson } from './directory-invitations.ts'
import { type DirectoryPerson, loadPeople, markPerson } from './person.ts'
import { findHighestRole } from './role-names.ts'
import { scimRefusal } from './scim-errors.ts'

// A directory makes members of its own account only, and only of people who agreed: by the mailed invitation,
// or because they are members already with a confirmed address. A superuser may name domains whose people
// belong to the account. Passwords and addresses of users are never changed.

/** The names of groups, by their ids. */
export type GroupNames = ReadonlyMap<string, string>

export async function loadGroupNames({
  store,
  account,
}: Pick<Directory, 'store' | 'account'>): Promise<GroupNames> {
  const groups = await queries(store.db)
    .selectFrom('directory_groups')
    .select(['id', 'name'])
    .where('user', '=', account)
    .execute()
  return new Map(groups.map(({ id, name }) => [id, name]))
}

/** The role that groups and roles of the directory give; undefined if none of them is named for one. */
const findGivenRole = (
  groups: readonly string[],
  roles: readonly Item[] = [],
  names: GroupNames,
): Role | undefined =>
  findHighestRole([
    ...groups.map((id) => names.get(id) ?? ''),
    ...roles.map(({ value }) => String(value)),
  ])

const findRoleOf = ({ groups, attributes }: DirectoryPerson, names: GroupNames) =>
  findGivenRole(groups, attributes.roles as readonly Item[] | undefined, names)

/**
 * Makes, changes or ends the membership of a person as the record says. Returns the role to invite the person
 * with, if an invitation must be mailed once the transaction is committed. Throws 400, 403, 409, 429.
 */
export async function followDirectory(
  directory: Directory,
  person: DirectoryPerson,
  names: GroupNames,
): Promise<Role | undefined> {
  if (!person.active) {
    await endAccess(directory, person)
    return undefined
  }
  const given = findRoleOf(person, names)
  const member = await findMember(directory, person)
  if (member !== '') {
    await giveRole(directory, person, member, given)
    return undefined
  }
  return waitForPerson(directory, person, given ?? 'viewer')
}

/** People whose roles change in one transaction, which locks the account: its sends wait for it. */
const CHUNK = 25

/**
 * Gives all people of an account the roles of their groups, also those of an earlier request that was cut
 * off. Invites nobody.
 */
export async function followGroups(caller: DirectoryCaller): Promise<void> {
  const ids = await findOutdated(caller)
  for (let at = 0; at < ids.length; at += CHUNK)
    await changeDirectory(caller, async (directory) => {
      const chunk = ids.slice(at, at + CHUNK)
      const people = await loadPeople(directory.store.db, directory.account, chunk)
      const names = await loadGroupNames(directory)
      for (const person of people.filter(({ active }) => active))
        await followGroupsOf(directory, person, findRoleOf(person, names))
    })
}

async function followGroupsOf(
  directory: Directory,
  person: DirectoryPerson,
  given: Role | undefined,
): Promise<void> {
  if (await keepsMembership(directory, person))
    await giveRole(directory, person, person.person, given)
  else await changeInvitedRole(directory, person, given ?? 'viewer')
}

/** The active people whose last role is not that of their groups. */
async function findOutdated({ store, auth: { id: account } }: DirectoryCaller): Promise<string[]> {
  const people = await queries(store.db)
    .selectFrom('directory_people')
    .select(['id', 'groups', 'role'])
    .select(sql<string | null>`attributes -> 'roles'`.as('roles'))
    .where('user', '=', account)
    .where('active', '=', true)
    .execute()
  const names = await loadGroupNames({ store, account })
  return people.flatMap(({ id, groups, role, roles }) => {
    const given = findGivenRole(groups, roles === null ? [] : JSON.parse(roles), names)
    return role === (given ?? (role === '' ? '' : 'viewer')) ? [] : [id]
  })
}

/** Ends the membership, or the open invitation. Repeating it has no effect. */
export async function endAccess(directory: Directory, person: DirectoryPerson): Promise<void> {
  const { store, account, by } = directory
  if (person.person !== '') {
    await adoptMembership(store.db, { account, member: person.person, by })
    await setRole(directory, person.person, null)
  }
  await deleteInvitations(directory, person)
  if (person.person || person.invited || person.role)
    await markPerson(directory, person, { person: '', invited: '', role: '' })
}

/** The user who is this person in the account; '' for one who must be invited. Throws 403, 409. */
async function findMember(directory: Directory, person: DirectoryPerson): Promise<string> {
  const { store, account } = directory
  if (await keepsMembership(directory, person)) return person.person
  const isOwn = await isOfOwnDomain(directory, person.email)
  const user = await findUser(store, person.email)
  if (user?.id === account || (await isAddressOf(store, account, person.email)))
    throw scimRefusal(403, 'The owner of the account is not managed by its directory')
  if (!user) return isOwn ? createMember(directory, person) : ''
  // somebody who has not confirmed the address may be a stranger
  const isTheirs = user.values.verified === true && (isOwn || (await isMember(directory, user.id)))
  if (isTheirs) await requireUnlinked(directory, person, user.id)
  return isTheirs ? user.id : ''
}

/** The user with this address, as it is written or in lower case: directories write it as they like. */
async function findUser(store: Store, email: string): Promise<AuthRecord | null> {
  const users = store.catalog.find(USERS_ID) as AuthCollection
  const found = await findByEmail(store, users, email)
  return found ?? findByEmail(store, users, email.toLowerCase())
}

async function isAddressOf({ db }: Store, account: string, email: string): Promise<boolean> {
  const owner = await queries(db)
    .selectFrom('users')
    .select('email')
    .where('id', '=', account)
    .executeTakeFirst()
  return owner?.email.toLowerCase() === email.toLowerCase()
}

const isMember = async ({ store, account }: Directory, member: string): Promise<boolean> =>
  (await queries(store.db)
    .selectFrom('members')
    .select('id')
    .where('account', '=', account)
    .where('member', '=', member)
    .executeTakeFirst()) !== undefined

/** Whether a linked person is a member still: members may leave, and admins remove them. */
const keepsMembership = async (directory: Directory, { person }: DirectoryPerson) =>
  person !== '' && (await isMember(directory, person))

async function requireUnlinked(
  { store, account }: Directory,
  { id }: DirectoryPerson,
  user: string,
) {
  const other = await queries(store.db)
    .selectFrom('directory_people')
    .select('name')
    .where('user', '=', account)
    .where('person', '=', user)
    .where('id', '<>', id)
    .executeTakeFirst()
  if (other) throw scimRefusal(409, `This address belongs to the user ${other.name}`, 'uniqueness')
}

/** Whether a superuser has named the domain of an address as one of the account's organization. */
async function isOfOwnDomain({ store, account }: Directory, email: string): Promise<boolean> {
  const settings = await queries(store.db)
    .selectFrom('user_settings')
    .select('directory_domains as domains')
    .where('user', '=', account)
    .executeTakeFirst()
  const domain = email.toLowerCase().split('@').at(-1)!
  return (settings?.domains ?? '').split(',').includes(domain)
}

const PASSWORD_LENGTH = 30

/** Creates a user without an own account, who signs in by a provider or resets the password first. */
async function createMember(
  { store, services }: Directory,
  { email, name, attributes }: DirectoryPerson,
): Promise<string> {
  const password = makeRandomText(PASSWORD_LENGTH)
  const { formatted } = (attributes.name ?? {}) as Item
  const body = {
    email,
    name: String(attributes.displayName ?? formatted ?? name),
    password,
    passwordConfirm: password,
    verified: true,
    member_only: true,
  }
  const users = store.catalog.find(USERS_ID)!
  const request = makeServerRequest(store, body)
  const options = { hasRandomPassword: true }
  const json = await createRecord(store, services.extensions, users, request, options)
  return (JSON.parse(json) as { id: string }).id
}

/** Gives a role. A member who was there before the directory keeps theirs until a group gives another. */
async function giveRole(
  directory: Directory,
  person: DirectoryPerson,
  member: string,
  given: Role | undefined,
): Promise<void> {
  const { store, account, by } = directory
  const known = await adoptMembership(store.db, { account, member, by })
  const isUnruled = given === undefined && person.role === ''
  const role = isUnruled ? ((known?.role as Role | undefined) ?? 'viewer') : (given ?? 'viewer')
  if (role !== known?.role) await setRole(directory, member, role)
  const kept = isUnruled && known ? '' : role
  if (person.person !== member || person.role !== kept)
    await markPerson(directory, person, { person: member, role: kept })
}

const setRole = ({ store, services, account, by }: Directory, member: string, role: Role | null) =>
  setDirectoryRole(store, services.extensions, {
    account,
    member,
    role,
    by,
    directory: SCIM_DIRECTORY,
  })
