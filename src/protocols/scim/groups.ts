import { sql } from 'kysely'
import { deleteRecords } from '../../engine/records/cascade.ts'
import { createRecord, updateRecord } from '../../engine/records/create-or-update.ts'
import { makeServerRequest } from '../../engine/request/request.ts'
import { updateRecords } from '../../gateway/base/message-status.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { GROUP_ATTRIBUTES, type Item, type Resource, readResource } from './attributes.ts'
import { changeDirectory, type Directory, type DirectoryCaller } from './directory.ts'
import { type AttributeComparison, parseScimFilter } from './filter.ts'
import { followGroups } from './follow-directory.ts'
import { GROUP_SCHEMA, makeMeta } from './metadata.ts'
import { equalsIgnoringCase, isWanted, pickAttributes, readPage, renderList } from './page.ts'
import { patchResource } from './patch.ts'
import { loadPeople } from './person.ts'
import { invalidValue, scimRefusal, unknownResource } from './scim-errors.ts'

const MAX_GROUPS = 100
/** Each has up to MAX_PEOPLE members. */
const MAX_PAGE = 20

const selectGroups = (db: Db, account: string) =>
  queries(db)
    .selectFrom('directory_groups')
    .select(['id', 'name', 'external_id', 'created', 'updated'])
    .where('user', '=', account)
    .orderBy('created')
    .orderBy('id')

type GroupsQuery = ReturnType<typeof selectGroups>
type Group = Awaited<ReturnType<GroupsQuery['execute']>>[number]

const hasMember = (query: GroupsQuery, value: string) =>
  query.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('directory_people as p')
        .select('p.id')
        .where('p.id', '=', value)
        .where(sql<boolean>`directory_groups.id = any(p.groups)`),
    ),
  )

/** SQL conditions by the names of filters. */
const CONDITIONS: Readonly<Record<string, (query: GroupsQuery, value: string) => GroupsQuery>> = {
  id: (query, value) => query.where('id', '=', value),
  externalid: (query, value) => query.where('external_id', '=', value),
  displayname: (query, value) => query.where(equalsIgnoringCase('name', value)),
  members: hasMember,
  'members.value': hasMember,
}

function addCondition(query: GroupsQuery, { name, value }: AttributeComparison): GroupsQuery {
  if (!Object.hasOwn(CONDITIONS, name))
    throw scimRefusal(400, `Groups cannot be found by ${name}`, 'invalidFilter')
  return CONDITIONS[name]!(query, String(value))
}

/** `GET /Groups`. Throws 400. */
export async function listGroups(caller: DirectoryCaller) {
  const { query } = caller.c.env.incoming
  const page = readPage(query, MAX_PAGE)
  const filter = query.filter ? parseScimFilter(query.filter) : []
  const all = await filter
    .reduce(addCondition, selectGroups(caller.store.db, caller.auth.id))
    .execute()
  const shown = all.slice(page.startIndex - 1, page.startIndex - 1 + page.count)
  return renderList(all.length, page, await renderGroups(caller, shown))
}

/** `GET /Groups/:id`. Throws 404. */
export async function readGroup(caller: DirectoryCaller, id: string) {
  const group = await requireGroup(caller.store.db, caller.auth.id, id)
  return (await renderGroups(caller, [group]))[0]!
}

async function requireGroup(db: Db, account: string, id: string): Promise<Group> {
  const group = await selectGroups(db, account).where('id', '=', id).executeTakeFirst()
  if (!group) throw unknownResource('group', id)
  return group
}

/** `POST /Groups`. Throws 400, 403, 409. */
export async function createGroup(caller: DirectoryCaller) {
  const resource = readResource(GROUP_ATTRIBUTES, caller.json)
  const id = await changeDirectory(caller, async (directory) => {
    await requireRoom(directory)
    const made = await writeGroup(directory, resource)
    await setMembers(directory, made, [], listMembers(resource) ?? [])
    return made
  })
  await followGroups(caller)
  caller.c.header('location', locate(caller, id))
  return readGroup(caller, id)
}

/** `PUT /Groups/:id`. Without `members` these stay: some directories send them by PATCH. Throws as PATCH. */
export async function replaceGroup(caller: DirectoryCaller, id: string) {
  const resource = readResource(GROUP_ATTRIBUTES, caller.json)
  await changeGroup(caller, id, () => resource)
  return readGroup(caller, id)
}

/** `PATCH /Groups/:id`. Throws 400, 404, 409. */
export const patchGroup = (caller: DirectoryCaller, id: string): Promise<void> =>
  changeGroup(caller, id, (before) => patchResource(GROUP_ATTRIBUTES, before, caller.json))

/** `DELETE /Groups/:id`: its members lose the role that it gave, then it is deleted. Throws 404. */
export async function deleteGroup(caller: DirectoryCaller, id: string): Promise<void> {
  await changeDirectory(caller, async (directory) => {
    const { store, account } = directory
    await requireGroup(store.db, account, id)
    await setMembers(directory, id, await selectMemberIds(store.db, account, id), [])
  })
  await followGroups(caller)
  await changeDirectory(caller, ({ store, services }) => {
    const groups = store.catalog.find('directory_groups')!
    return deleteRecords(store, services.extensions, groups, [id])
  })
}

async function changeGroup(
  caller: DirectoryCaller,
  id: string,
  change: (before: Resource) => Resource,
): Promise<void> {
  await changeDirectory(caller, async (directory) => {
    const { store, account } = directory
    const group = await requireGroup(store.db, account, id)
    const members = await selectMemberIds(store.db, account, id)
    const resource = change({ ...toGroupResource(group), members: members.map(toMember) })
    if (resource.displayName !== group.name || (resource.externalId ?? '') !== group.external_id)
      await writeGroup(directory, resource, id)
    await setMembers(directory, id, members, listMembers(resource) ?? members)
  })
  await followGroups(caller)
}

const toMember = (value: string): Item => ({ value })

const toGroupResource = ({ name, external_id }: Group): Resource => ({
  ...(external_id && { externalId: external_id }),
  displayName: name,
})

const listMembers = ({ members }: Resource): readonly string[] | undefined =>
  members === undefined
    ? undefined
    : (members as readonly Item[]).flatMap(({ value }) => (value ? [String(value)] : []))

async function selectMemberIds(db: Db, account: string, id: string): Promise<string[]> {
  const found = await queries(db)
    .selectFrom('directory_people')
    .select('id')
    .where('user', '=', account)
    .where(sql<boolean>`${id} = any(groups)`)
    .orderBy('created')
    .orderBy('id')
    .execute()
  return found.map((person) => person.id)
}

/** Puts people into a group and takes others out. Throws 400. */
async function setMembers(
  directory: Directory,
  id: string,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const { store, account } = directory
  const added = after.filter((one) => !before.includes(one))
  const removed = before.filter((one) => !after.includes(one))
  const known = await loadPeople(store.db, account, added)
  const unknown = added.find((one) => !known.some((person) => person.id === one))
  if (unknown !== undefined) throw invalidValue(`members: there is no user ${unknown}`)
  await changeGroupsOf(store.db, added, sql`array_append(groups, ${id})`)
  await changeGroupsOf(store.db, removed, sql`array_remove(groups, ${id})`)
}

const changeGroupsOf = async (
  db: Db,
  people: readonly string[],
  groups: ReturnType<typeof sql<string[]>>,
) => {
  if (people.length === 0) return
  await updateRecords(db, 'directory_people', (update) =>
    update.set({ groups }).where('id', '=', matchAny(people)),
  )
}

async function requireRoom({ store, account }: Directory): Promise<void> {
  const known = await selectGroups(store.db, account).execute()
  if (known.length >= MAX_GROUPS)
    throw scimRefusal(403, `A directory has at most ${MAX_GROUPS} groups`)
}

/** Creates the record, or changes it. Returns its id. Throws 400, 409. */
async function writeGroup(
  { store, services, account }: Directory,
  { displayName: name, externalId = '' }: Resource,
  id?: string,
): Promise<string> {
  if (typeof name !== 'string') throw invalidValue('displayName is missing')
  const same = await selectGroups(store.db, account)
    .where(equalsIgnoringCase('name', name))
    .where('id', '<>', id ?? '')
    .executeTakeFirst()
  if (same) throw scimRefusal(409, `There is a group ${same.name}`, 'uniqueness')
  const groups = store.catalog.find('directory_groups')!
  const values = { name, external_id: externalId }
  const request = makeServerRequest(store, id === undefined ? { ...values, user: account } : values)
  const json =
    id === undefined
      ? await createRecord(store, services.extensions, groups, request)
      : await updateRecord(store, services.extensions, groups, id, request)
  return (JSON.parse(json) as { id: string }).id
}

const locate = ({ services: { config } }: DirectoryCaller, id: string) =>
  `${config.publicUrl}/scim/v2/Groups/${id}`

/** Groups as SCIM shows them, with their members. */
async function renderGroups(caller: DirectoryCaller, groups: readonly Group[]) {
  const { query } = caller.c.env.incoming
  const hasMembers = isWanted('members', query)
  const found = hasMembers ? await selectMembers(caller, groups) : []
  const membersOf = Map.groupBy(found, ({ group }) => group)
  return groups.map((group) => {
    const members = (membersOf.get(group.id) ?? []).map(({ value }) => ({
      ...{ value, $ref: `${caller.services.config.publicUrl}/scim/v2/Users/${value}` },
    }))
    const resource = {
      schemas: [GROUP_SCHEMA],
      id: group.id,
      ...toGroupResource(group),
      ...(hasMembers && { members }),
      meta: makeMeta('Group', group, locate(caller, group.id)),
    }
    return pickAttributes(resource, query)
  })
}

const selectMembers = ({ store, auth }: DirectoryCaller, groups: readonly Group[]) =>
  queries(store.db)
    .selectFrom('directory_people as p')
    .innerJoin(sql<{ id: string }>`unnest(p.groups)`.as<'g'>(sql`g(id)`), (join) => join.onTrue())
    .select(['p.id as value', 'g.id as group'])
    .where('p.user', '=', auth.id)
    .where('g.id', '=', matchAny(groups.map(({ id }) => id)))
    .orderBy('p.created')
    .orderBy('p.id')
    .execute()
