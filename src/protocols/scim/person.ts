import type { Store } from '../../engine/collections/catalog.ts'
import { isEmail } from '../../engine/fields/email.ts'
import { createRecord, updateRecord } from '../../engine/records/create-or-update.ts'
import { makeServerRequest, type Role } from '../../engine/request/request.ts'
import { updateRecords } from '../../gateway/base/message-status.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { type Item, type Resource, USER_ATTRIBUTES } from './attributes.ts'
import type { Directory } from './directory.ts'
import { invalidValue, unknownResource } from './scim-errors.ts'

export interface DirectoryPerson {
  readonly id: string
  readonly name: string
  readonly external_id: string
  readonly email: string
  readonly active: boolean
  readonly attributes: Resource
  readonly groups: readonly string[]
  readonly role: Role | ''
  readonly person: string
  readonly invited: string
  readonly created: string
  readonly updated: string
}

export const selectPeople = (db: Db, account: string) =>
  queries(db)
    .selectFrom('directory_people')
    .select(['id', 'name', 'external_id', 'email', 'active', 'attributes', 'groups'])
    .select(['role', 'person', 'invited', 'created', 'updated'])
    .where('user', '=', account)
    .orderBy('created')
    .orderBy('id')

type PersonRow = Omit<DirectoryPerson, 'attributes'> & { readonly attributes: string | null }

export const readPerson = (row: PersonRow): DirectoryPerson => ({
  ...row,
  attributes: JSON.parse(row.attributes ?? '{}') as Resource,
})

export async function loadPeople(
  db: Db,
  account: string,
  ids: readonly string[],
): Promise<DirectoryPerson[]> {
  const rows = await selectPeople(db, account).where('id', '=', matchAny(ids)).execute()
  return rows.map((row) => readPerson(row))
}

/** A person of the account's directory. Throws 404. */
export async function requirePerson(
  { db }: Store,
  account: string,
  id: string,
): Promise<DirectoryPerson> {
  const [person] = await loadPeople(db, account, [id])
  if (!person) throw unknownResource('user', id)
  return person
}

/** The values of a record by the attributes that the directory sent. Throws 400. */
export function toPersonValues({ userName, externalId = '', active = true, ...rest }: Resource) {
  if (typeof userName !== 'string') throw invalidValue('userName is missing')
  return {
    name: userName,
    external_id: String(externalId),
    email: chooseEmail(userName, (rest.emails ?? []) as readonly Item[]),
    active: active === true,
    attributes: withoutEmptyLists(rest),
  }
}

const withoutEmptyLists = (resource: Resource): Resource =>
  Object.fromEntries(
    Object.entries(resource).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  )

export type DirectoryPersonValues = ReturnType<typeof toPersonValues>

/** The primary address, else that of work, else the first, else the user name. Throws 400. */
function chooseEmail(userName: string, emails: readonly Item[]): string {
  const chosen =
    emails.find(({ primary }) => primary === true) ??
    emails.find(({ type }) => type === 'work') ??
    emails[0]
  const email = String(chosen?.value ?? userName)
  if (!isEmail(email)) throw invalidValue('emails: this server needs an address of the person')
  return email
}

export const toUserResource = ({
  name,
  external_id,
  active,
  attributes,
}: DirectoryPerson): Resource => ({
  ...(external_id && { externalId: external_id }),
  userName: name,
  ...Object.fromEntries(
    Object.keys(USER_ATTRIBUTES).flatMap((key) =>
      attributes[key] === undefined ? [] : [[key, attributes[key]]],
    ),
  ),
  active,
})

export async function writePerson(
  { store, services, account }: Directory,
  values: DirectoryPersonValues,
  known?: DirectoryPerson,
): Promise<string> {
  const people = store.catalog.find('directory_people')!
  const request = makeServerRequest(store, known ? values : { ...values, user: account })
  const json = known
    ? await updateRecord(store, services.extensions, people, known.id, request)
    : await createRecord(store, services.extensions, people, request)
  return (JSON.parse(json) as { id: string }).id
}

/** Stores what has become of a person, by one statement: a group may have 1,000. */
export const markPerson = async (
  { store }: Directory,
  { id }: DirectoryPerson,
  values: Partial<Pick<DirectoryPerson, 'role' | 'person' | 'invited'>>,
): Promise<void> => {
  await updateRecords(store.db, 'directory_people', (update) =>
    update.set(values).where('id', '=', id),
  )
}
