import { sql } from 'kysely'
import { createRecord, updateRecord } from '../../engine/records/create-or-update.ts'
import { makeServerRequest } from '../../engine/request/request.ts'
import { updateRecords } from '../../gateway/base/message-status.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import type { Resource } from './attributes.ts'
import type { Directory } from './directory.ts'
import { equalsIgnoringCase } from './page.ts'
import { loadPeople } from './person.ts'
import { invalidValue, scimRefusal, unknownResource } from './scim-errors.ts'

export const selectGroups = (db: Db, account: string) =>
  queries(db)
    .selectFrom('directory_groups')
    .select(['id', 'name', 'external_id', 'created', 'updated'])
    .where('user', '=', account)
    .orderBy('created')
    .orderBy('id')

export type GroupsQuery = ReturnType<typeof selectGroups>
export type DirectoryGroup = Awaited<ReturnType<GroupsQuery['execute']>>[number]

/** A group of the account's directory. Throws 404. */
export async function requireGroup(db: Db, account: string, id: string): Promise<DirectoryGroup> {
  const group = await selectGroups(db, account).where('id', '=', id).executeTakeFirst()
  if (!group) throw unknownResource('group', id)
  return group
}

export const toGroupResource = ({ name, external_id }: DirectoryGroup): Resource => ({
  ...(external_id && { externalId: external_id }),
  displayName: name,
})

/** Creates the record, or changes it. Returns its id. Throws 400, 409. */
export async function writeGroup(
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

export async function selectMemberIds(db: Db, account: string, id: string): Promise<string[]> {
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

/** The members of groups of an account, each with its group. */
export const selectMembers = (db: Db, account: string, groups: readonly string[]) =>
  queries(db)
    .selectFrom('directory_people as p')
    .innerJoin(sql<{ id: string }>`unnest(p.groups)`.as<'g'>(sql`g(id)`), (join) => join.onTrue())
    .select(['p.id as value', 'g.id as group'])
    .where('p.user', '=', account)
    .where('g.id', '=', matchAny(groups))
    .orderBy('p.created')
    .orderBy('p.id')
    .execute()

/** Puts people into a group and takes others out. Throws 400. */
export async function setMembers(
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
  await changeMembersGroups(store.db, added, sql`array_append(groups, ${id})`)
  await changeMembersGroups(store.db, removed, sql`array_remove(groups, ${id})`)
}

const changeMembersGroups = async (
  db: Db,
  people: readonly string[],
  groups: ReturnType<typeof sql<string[]>>,
) => {
  if (people.length === 0) return
  await updateRecords(db, 'directory_people', (update) =>
    update.set({ groups }).where('id', '=', matchAny(people)),
  )
}
