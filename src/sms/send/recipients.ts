import type { Store } from '../../collections/catalog.ts'
import { cast, run, type Slots, sql, statement, tables } from '../../db/statements/statement.ts'
import { cleanText } from '../../fields/values/cast.ts'
import { E164 } from '../../portable/phone.ts'
import type { SendBody } from './body.ts'
import { gatewayRefusal, invalid } from './refusal.ts'
import { type Person, valuesByName } from './template.ts'

/** Throws 400 `invalid_phone_number`. */
export function checkPhones(phones: readonly string[]): void {
  if (!phones.every((phone) => E164.test(phone))) throw gatewayRefusal('invalid_phone_number')
}

/** Throws 400 `too_many_recipients`. */
export function checkCount(phones: readonly string[], max: number): void {
  if (phones.length > max)
    throw gatewayRefusal('too_many_recipients', `At most ${max} recipients per request`)
}

/** Each number once, in order of first mention. */
export const uniquePhones = (phones: readonly string[]): string[] =>
  phones.length < 2 ? [...phones] : [...new Set(phones)]

/** The named numbers, then the groups' members, each once. Throws 404, 400. */
export async function allRecipients(
  store: Store,
  user: string,
  { recipients, groupIds }: Pick<SendBody, 'recipients' | 'groupIds'>,
  max: number,
): Promise<readonly string[]> {
  const explicit = uniquePhones(recipients)
  if (groupIds.length === 0) return explicit
  // one more than allowed, to detect too many
  const members = await groupMembers(store, user, groupIds, max + explicit.length + 1)
  const phones = uniquePhones([...explicit, ...members])
  checkCount(phones, max)
  if (phones.length === 0) throw invalid('group_ids has no member to send to')
  return phones
}

/** Members by name and id, each once, without those who opted out. All contacts of the user are read. */
async function groupMembers(store: Store, user: string, groupIds: readonly string[], limit: number) {
  const groups = [...new Set(groupIds)]
  const { rows } = await store.db.shaped(
    `select (select count(*) from contact_groups g where g."user" = $1 and g.id = any($2::text[])),
      array(select c.phone from contacts c where c."user" = $1 and c.groups && $2::text[] and not c.opted_out
        order by c.name, c.id limit $3)`,
    [user, groups, limit],
    'sms group members',
  )
  const [found, phones] = rows[0]! as [number, string[]]
  if (found < groups.length) throw gatewayRefusal('group_not_found')
  return phones
}

type Phones = Slots<{ user: string; phones: readonly string[] }>

/** SQL: the contact's number is one of these. */
const isOneOf = (phones: Phones['phones']) => sql<boolean>`phone = any(${cast(phones, 'text[]')})`

const OPTED_OUT = statement('sms opted out', ({ user, phones }: Phones) =>
  tables
    .selectFrom('contacts')
    .select('phone')
    .where(({ and }) => and({ user, opted_out: true }))
    .where(isOneOf(phones)),
)

/** The numbers that have opted out of a user's texts. */
export async function optedOut(store: Store, user: string, phones: readonly string[]) {
  return new Set((await run(store.db, OPTED_OUT, { user, phones })).map(({ phone }) => phone))
}

/** Larger `data` of a contact is ignored: bytes as stored, and characters of JSON. */
const MAX_DATA = 8_192

const CONTACTS = statement('sms contacts', ({ user, phones, room }: Phones & Slots<{ room: number }>) =>
  tables
    .selectFrom('contacts')
    .select([
      'phone',
      'name',
      sql<string | null>`case when pg_column_size(data) <= ${cast(room, 'int')}
        then case when length(data::text) <= ${cast(room, 'int')} then data::text end end`.as('data'),
    ])
    .where('user', '=', user)
    .where(isOneOf(phones)),
)

/**
 * A user's contacts by their number, with own fields by name, in another case if needed: `{{city}}` is
 * `City`. Texts, numbers, booleans. A number without a contact has none.
 */
export async function contactsOf(
  store: Store,
  user: string,
  phones: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, Person>> {
  const people = await run(store.db, CONTACTS, { user, phones, room: names.length > 0 ? MAX_DATA : 0 })
  return new Map(
    people.map(({ phone, name, data }) => [phone, { phone, name, fields: pickFields(data, names) }]),
  )
}

function pickFields(data: string | null, names: readonly string[]): Map<string, string> {
  const value: unknown = data === null ? null : JSON.parse(data)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map()
  const given = Object.entries(value).flatMap(([key, field]) => {
    const isText = typeof field === 'string' || typeof field === 'number' || typeof field === 'boolean'
    return isText ? [[key, cleanText(String(field))] as const] : []
  })
  const find = valuesByName(given)
  const found = names.map((name) => [name, find(name)] as const)
  return new Map(found.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
