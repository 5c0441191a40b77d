import { sql } from 'kysely'
import { findAuthRecord } from '../../engine/auth/find-auth-record.ts'
import { recordMemberAudit } from '../../engine/auth/write-audit-log.ts'
import { type AuthCollection, USERS_ID } from '../../engine/collections/collection.ts'
import { deleteRecords } from '../../engine/records/cascade.ts'
import type { Role } from '../../engine/request/request.ts'
import { inviteMember } from '../../gateway/accounts/invitations.ts'
import { retryRequest } from '../../http/retry-request.ts'
import { unauthorized } from '../../platform/api-errors.ts'
import { queries } from '../../platform/db/queries.ts'
import { MAX_PEOPLE, type Resource, readResource, USER_ATTRIBUTES } from './attributes.ts'
import { changeDirectory, type Directory, type DirectoryCaller } from './directory.ts'
import { addFilter, type Conditions } from './filter.ts'
import { endAccess, followDirectory, type GroupNames, loadGroupNames } from './follow-directory.ts'
import { makeMeta, USER_SCHEMA } from './metadata.ts'
import { equalsIgnoringCase, isWanted, pickAttributes, readPage, renderList } from './page.ts'
import { patchResource } from './patch.ts'
import {
  type DirectoryPerson,
  type DirectoryPersonValues,
  markPerson,
  readPerson,
  requirePerson,
  selectPeople,
  toPersonValues,
  toUserResource,
  writePerson,
} from './person.ts'
import { scimRefusal } from './scim-errors.ts'

const MAX_PAGE = 100

type PeopleQuery = ReturnType<typeof selectPeople>

/** SQL of filters. A person has one address, of which its type is always true. */
const CONDITIONS: Conditions<PeopleQuery> = {
  id: (query, value) => query.where('id', '=', value),
  externalid: (query, value) => query.where('external_id', '=', value),
  username: (query, value) => query.where(equalsIgnoringCase('name', value)),
  displayname: (query, value) => query.where(sql<boolean>`attributes ->> 'displayName' = ${value}`),
  active: (query, value) => query.where('active', '=', value === 'true'),
  emails: (query, value) => query.where(equalsIgnoringCase('email', value)),
  'emails.value': (query, value) => query.where(equalsIgnoringCase('email', value)),
  'emails.type': null,
  'emails.primary': null,
  groups: (query, value) => query.where(sql<boolean>`${value} = any(groups)`),
  'groups.value': (query, value) => query.where(sql<boolean>`${value} = any(groups)`),
}

/** `GET /Users`. Throws 400. */
export async function listUsers(caller: DirectoryCaller) {
  const { query } = caller.c.env.incoming
  const page = readPage(query, MAX_PAGE)
  const known = selectPeople(caller.store.db, caller.auth.id)
  const chosen = addFilter(known, query.filter, CONDITIONS, 'Users')
  const rows = await chosen
    .select(sql<number>`count(*) over ()`.as('total'))
    .offset(page.startIndex - 1)
    .limit(Math.max(1, page.count))
    .execute()
  const total = rows[0]?.total ?? (page.startIndex > 1 ? await countAll(chosen) : 0)
  const people = rows.slice(0, page.count).map(({ total: _, ...row }) => readPerson(row))
  return renderList(total, page, await renderUsers(caller, people))
}

const countAll = async (chosen: PeopleQuery): Promise<number> => (await chosen.execute()).length

/** `GET /Users/:id`. Throws 404. */
export async function readUser(caller: DirectoryCaller, id: string) {
  return renderUser(caller, await requirePerson(caller.store, caller.auth.id, id))
}

/** `POST /Users`. Throws 400, 403, 409, 429. */
export async function createUser(caller: DirectoryCaller) {
  const values = toPersonValues(readResource(USER_ATTRIBUTES, caller.json))
  const made = await changeDirectory(caller, async (directory) => {
    await requireRoom(directory)
    await requireFree(directory, values)
    return follow(directory, await writePerson(directory, values))
  })
  await invite(caller, made).catch(async (error: unknown) => {
    await changeDirectory(caller, (directory) => removePerson(directory, made.person))
    throw error
  })
  caller.c.header('location', locate(caller, made.person.id))
  return readUser(caller, made.person.id)
}

/** `PUT /Users/:id`. Throws 400, 403, 404, 409, 429. */
export const replaceUser = (caller: DirectoryCaller, id: string) => {
  const resource = readResource(USER_ATTRIBUTES, caller.json)
  return changeUser(caller, id, () => resource)
}

/** `PATCH /Users/:id`. Throws 400, 403, 404, 409, 429. */
export const patchUser = (caller: DirectoryCaller, id: string) =>
  changeUser(caller, id, (before) => patchResource(USER_ATTRIBUTES, before, caller.json))

/** `DELETE /Users/:id`: ends the membership. The user remains, but for the account. Throws 404. */
export const deleteUser = (caller: DirectoryCaller, id: string): Promise<void> =>
  changeDirectory(caller, async (directory) => {
    const person = await requirePerson(directory.store, directory.account, id)
    await removePerson(directory, person)
  })

async function changeUser(
  caller: DirectoryCaller,
  id: string,
  change: (before: Resource) => Resource,
) {
  const changed = await changeDirectory(caller, async (directory) => {
    const person = await requirePerson(directory.store, directory.account, id)
    const values = toPersonValues(change(toUserResource(person)))
    await requireFree(directory, values, id)
    if (values.email !== person.email && person.person === '') await endAccess(directory, person)
    if (isChanged(person, values)) await writePerson(directory, values, person)
    return follow(directory, id)
  })
  await invite(caller, changed).catch(async (error: unknown) => {
    await changeDirectory(caller, (directory) =>
      markPerson(directory, changed.person, { invited: '' }),
    )
    throw error
  })
  return readUser(caller, id)
}

const isChanged = (person: DirectoryPerson, values: DirectoryPersonValues) =>
  Object.entries(values).some(
    ([name, value]) =>
      JSON.stringify(person[name as keyof DirectoryPerson]) !== JSON.stringify(value),
  )

/** A person, and the role to invite them with, if an invitation must be mailed. */
interface Followed {
  readonly person: DirectoryPerson
  readonly role: Role | undefined
}

async function follow(directory: Directory, id: string): Promise<Followed> {
  const { store, account } = directory
  const person = await requirePerson(store, account, id)
  return { person, role: await followDirectory(directory, person, await loadGroupNames(directory)) }
}

async function removePerson(directory: Directory, person: DirectoryPerson): Promise<void> {
  const { store, services } = directory
  await endAccess(directory, person)
  const people = store.catalog.find('directory_people')!
  await deleteRecords(store, services.extensions, people, [person.id])
}

async function requireRoom({ store, account }: Directory): Promise<void> {
  const { known } = await queries(store.db)
    .selectFrom('directory_people')
    .select(({ fn }) => fn.countAll<number>().as('known'))
    .where('user', '=', account)
    .executeTakeFirstOrThrow()
  if (known >= MAX_PEOPLE) throw scimRefusal(403, `A directory has at most ${MAX_PEOPLE} users`)
}

/** Throws 409 if another user has this name or address. */
async function requireFree(
  { store, account }: Directory,
  { name, email }: DirectoryPersonValues,
  id = '',
): Promise<void> {
  const taken = await queries(store.db)
    .selectFrom('directory_people')
    .select('name')
    .where('user', '=', account)
    .where('id', '<>', id)
    .where(({ or }) => or([equalsIgnoringCase('name', name), equalsIgnoringCase('email', email)]))
    .executeTakeFirst()
  if (taken) throw scimRefusal(409, `The user ${taken.name} has this name or address`, 'uniqueness')
}

/** Mails the invitation. Throws 400. */
async function invite(
  { services, auth: { id: account }, key, c }: DirectoryCaller,
  { person, role }: Followed,
): Promise<void> {
  if (!role) return
  const users = services.store.catalog.find(USERS_ID) as AuthCollection
  const identify = () => findAuthRecord(services.store.signIn, users, account)
  await retryRequest(services.store, { identify }, async (auth) => {
    if (!auth) throw unauthorized()
    const store = c.env.incoming.openStore(auth)
    const { id } = await inviteMember(store, services, auth, { role, email: person.email })
    const entry = { action: 'create', collection: 'member_invitations', record: id }
    await recordMemberAudit(store.db, { id: account, sender: key.id }, entry)
  })
}

const locate = ({ services: { config } }: DirectoryCaller, id: string) =>
  `${config.publicUrl}/scim/v2/Users/${id}`

const renderUser = async (caller: DirectoryCaller, person: DirectoryPerson) =>
  (await renderUsers(caller, [person]))[0]!

async function renderUsers(caller: DirectoryCaller, people: readonly DirectoryPerson[]) {
  const { query } = caller.c.env.incoming
  const hasGroups = isWanted('groups', query) && people.some(({ groups }) => groups.length > 0)
  const names: GroupNames = hasGroups
    ? await loadGroupNames({ store: caller.store, account: caller.auth.id })
    : new Map()
  return people.map((person) => {
    const groups = person.groups.flatMap((value) => {
      const display = names.get(value)
      return display === undefined ? [] : [{ value, display }]
    })
    const resource = {
      schemas: [USER_SCHEMA],
      id: person.id,
      ...toUserResource(person),
      ...(groups.length > 0 && { groups }),
      meta: makeMeta('User', person, locate(caller, person.id)),
    }
    return pickAttributes(resource, query)
  })
}
