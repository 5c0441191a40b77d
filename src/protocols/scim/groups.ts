import { sql } from 'kysely'
import { deleteRecords } from '../../engine/records/cascade.ts'
import { GROUP_ATTRIBUTES, type Item, type Resource, readResource } from './attributes.ts'
import { changeDirectory, type Directory, type DirectoryCaller } from './directory.ts'
import { addFilter, type Conditions } from './filter.ts'
import { followGroups } from './follow-directory.ts'
import {
  type DirectoryGroup,
  type GroupsQuery,
  requireGroup,
  selectGroups,
  selectMemberIds,
  selectMembers,
  setMembers,
  toGroupResource,
  writeGroup,
} from './group.ts'
import { GROUP_SCHEMA, makeMeta } from './metadata.ts'
import { equalsIgnoringCase, isWanted, pickAttributes, readPage, renderList } from './page.ts'
import { patchResource } from './patch.ts'
import { scimRefusal } from './scim-errors.ts'

const MAX_GROUPS = 100
/** Each has up to MAX_PEOPLE members. */
const MAX_PAGE = 20

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
const CONDITIONS: Conditions<GroupsQuery> = {
  id: (query, value) => query.where('id', '=', value),
  externalid: (query, value) => query.where('external_id', '=', value),
  displayname: (query, value) => query.where(equalsIgnoringCase('name', value)),
  members: hasMember,
  'members.value': hasMember,
}

/** `GET /Groups`. Throws 400. */
export async function listGroups(caller: DirectoryCaller) {
  const { query } = caller.c.env.incoming
  const page = readPage(query, MAX_PAGE)
  const known = selectGroups(caller.store.db, caller.auth.id)
  const all = await addFilter(known, query.filter, CONDITIONS, 'Groups').execute()
  const shown = all.slice(page.startIndex - 1, page.startIndex - 1 + page.count)
  return renderList(all.length, page, await renderGroups(caller, shown))
}

/** `GET /Groups/:id`. Throws 404. */
export async function readGroup(caller: DirectoryCaller, id: string) {
  const group = await requireGroup(caller.store.db, caller.auth.id, id)
  return (await renderGroups(caller, [group]))[0]!
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

const listMembers = ({ members }: Resource): readonly string[] | undefined =>
  members === undefined
    ? undefined
    : (members as readonly Item[]).flatMap(({ value }) => (value ? [String(value)] : []))

async function requireRoom({ store, account }: Directory): Promise<void> {
  const known = await selectGroups(store.db, account).execute()
  if (known.length >= MAX_GROUPS)
    throw scimRefusal(403, `A directory has at most ${MAX_GROUPS} groups`)
}

const locate = ({ services: { config } }: DirectoryCaller, id: string) =>
  `${config.publicUrl}/scim/v2/Groups/${id}`

/** Groups as SCIM shows them, with their members. */
async function renderGroups(caller: DirectoryCaller, groups: readonly DirectoryGroup[]) {
  const { query } = caller.c.env.incoming
  const hasMembers = isWanted('members', query)
  const { store, auth, services } = caller
  const ids = groups.map(({ id }) => id)
  const found = hasMembers ? await selectMembers(store.db, auth.id, ids) : []
  const membersOf = Map.groupBy(found, ({ group }) => group)
  return groups.map((group) => {
    const members = (membersOf.get(group.id) ?? []).map(({ value }) => ({
      value,
      $ref: `${services.config.publicUrl}/scim/v2/Users/${value}`,
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
