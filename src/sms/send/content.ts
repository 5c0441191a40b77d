import { sql } from 'kysely'
import { z } from 'zod'
import { admission } from '../../admission/admission.ts'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { anyOf, queries } from '../../db/queries.ts'
import { seal, unseal } from '../../db/secrets.ts'
import { cleanText } from '../../fields/cast.ts'
import { E164, SHORT_CODE } from '../../portable/phone/e164.ts'
import { countSegments, type Segmentation } from '../../portable/segments.ts'
import { smartEncoded } from '../../portable/smart-encoding.ts'
import { type Content, MAX_CHARACTERS, type Origin, type SendBody } from './body.ts'
import { tooMany } from './judge.ts'
import { gatewayRefusal, invalid, templateRefusal } from './refusals.ts'
import { isInvisible } from './schemas.ts'

/** The schema of what `countSegments` returns, which cannot import zod because it also runs in browsers. */
const SEGMENTATION = z.object({
  encoding: z.enum(['GSM-7', 'UCS-2']),
  units: z.int().min(0).describe('Septets (GSM-7) or UTF-16 units (UCS-2) of the text.'),
  segments: z.int().min(0).describe('Its segments.'),
}) satisfies z.ZodType<Segmentation>

export type Text = Readonly<z.output<typeof TEXT>>
export const TEXT = z.object({ to: z.string(), body: z.string(), ...SEGMENTATION.shape }).meta({ id: 'Text' })

/** Checks a body without the database: numbers in E.164 or short codes, and the length. Throws 400. */
export function checkBody({ recipients, content }: Pick<SendBody, 'recipients' | 'content'>): void {
  for (const to of recipients)
    if (!E164.test(to) && !SHORT_CODE.test(to)) throw gatewayRefusal('invalid_phone_number')
  if ('body' in content) checkLength(content.body)
}

/** Throws 400 `body_too_long` for more than MAX_CHARACTERS code points. */
export function checkLength(body: string): void {
  // a code point is one or two units of `length`, so most texts need no count
  if (body.length <= MAX_CHARACTERS) return
  if (body.length > 2 * MAX_CHARACTERS || [...body].length > MAX_CHARACTERS)
    throw gatewayRefusal('body_too_long')
}

/** Writes a text per recipient, in order. Throws 400 for a bad template. @param missing: see `renderFor`. */
export async function writeTexts(
  store: Store,
  user: string,
  content: Content,
  phones: readonly string[],
  missing?: (name: string) => string,
): Promise<Text[]> {
  const plain = plainText(content)
  if (plain !== undefined) {
    const counted = countSegments(plain)
    return phones.map((to) => ({ to, body: plain, ...counted }))
  }
  const template = 'body' in content ? content.body : await loadTemplate(store, user, content.templateId)
  const filled = fillVariables(parseTemplate(template), content.variables!)
  const contacts = await contactsOf(store, user, phones, fieldNames(filled))
  const personOf = (phone: string) => contacts.get(phone) ?? { phone, name: '' }
  const write = (phone: string) => textFor(phone, renderFor(filled, personOf(phone), missing), content)
  return admission.recipientSlices.map(phones, write)
}

/** The text, if all recipients get the same; undefined if not. */
export const plainText = (content: Content): string | undefined =>
  'body' in content && !content.variables ? asSent(content.body, content) : undefined

const asSent = (text: string, { isSmart }: Content) => (isSmart ? smartEncoded(text, MAX_CHARACTERS) : text)

function textFor(to: string, written: string, content: Content): Text {
  checkLength(written)
  if (isInvisible(written))
    throw invalid('a text would be empty: give its variable a default, as {{name|friend}}')
  const body = asSent(written, content)
  return { to, body, ...countSegments(body) }
}

/** The text of a user's template. Throws 400 if the template does not exist or is another user's. */
export async function loadTemplate(store: Store, user: string, id: string): Promise<string> {
  const template = await queries(store.db)
    .selectFrom('sms_templates')
    .select(['body', 'user'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!template) throw templateRefusal('Template not found.')
  if (template.user !== user) throw templateRefusal('Template does not belong to user.')
  return template.body
}

/** Throws 400 `invalid_phone_number`. */
export function checkPhones(phones: readonly string[]): void {
  for (const phone of phones) if (!E164.test(phone)) throw gatewayRefusal('invalid_phone_number')
}

/**
 * `recipients`, then the groups' members, each once. Throws 400 above `max` and for forbidden short codes,
 * 404 for an unknown group.
 */
export async function allRecipients(
  { db }: Store,
  user: string,
  { recipients, groupIds }: Pick<SendBody, 'recipients' | 'groupIds'>,
  max: number,
): Promise<readonly string[]> {
  const phones = new Set(recipients)
  if (recipients.some((to) => SHORT_CODE.test(to)) && !(await allowsShortCodes({ db }, user)))
    throw gatewayRefusal('invalid_phone_number')
  // enough to notice too many recipients: members may also be among the given numbers
  const limit = max + phones.size + 1
  if (groupIds.length > 0 && phones.size <= max)
    for (const phone of await groupMembers(db, user, groupIds, limit)) phones.add(phone)
  if (phones.size > max) throw tooMany(max)
  if (groupIds.length > 0 && phones.size === 0) throw invalid('group_ids has no member to send to')
  return [...phones]
}

/** Whether an account allows short codes as recipients. */
export async function allowsShortCodes({ db }: Pick<Store, 'db'>, user: string): Promise<boolean> {
  const allowing = await queries(db)
    .selectFrom('user_settings')
    .where('user', '=', user)
    .where('short_codes', '=', true)
    .executeTakeFirst()
  return allowing !== undefined
}

/** Phone numbers of groups' members, ordered by name, no opted-out ones. Reads all contacts. Throws 404. */
async function groupMembers(db: Db, user: string, groupIds: readonly string[], limit: number) {
  const groups = [...new Set(groupIds)]
  const { found, phones } = await queries(db, 'shaped')
    .selectNoFrom([
      sql<number>`(
        select count(*) from contact_groups g where g."user" = ${user} and g.id = any(${groups}::text[]))`.as(
        'found',
      ),
      sql<string[]>`array(
        select c.phone from contacts c
        where c."user" = ${user} and c.groups && ${groups}::text[] and not c.opted_out
        order by c.name, c.id limit ${limit})`.as('phones'),
    ])
    .executeTakeFirstOrThrow()
  if (found < groups.length) throw gatewayRefusal('group_not_found')
  return phones
}

/** Returns those of `phones` that have opted out of a user's texts. */
export async function optedOut(store: Store, user: string, phones: readonly string[]) {
  const contacts = await queries(store.db)
    .selectFrom('contacts')
    .select('phone')
    .where('user', '=', user)
    .where('opted_out', '=', true)
    .where('phone', '=', anyOf(phones))
    .execute()
  return new Set(contacts.map(({ phone }) => phone))
}

/** A contact's `data` is ignored above this size, in bytes as stored or in characters of JSON. */
const MAX_DATA = 8_192

/** Maps phone numbers to the user's contacts, each with those custom fields that `names` lists. */
async function contactsOf(
  store: Store,
  user: string,
  phones: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, Person>> {
  const room = names.length > 0 ? MAX_DATA : 0
  const people = await queries(store.db)
    .selectFrom('contacts')
    .select(['phone', 'name'])
    .select(
      sql<string | null>`case when pg_column_size(data) <= ${room}::int
        then case when length(data::text) <= ${room}::int then data::text end end`.as('data'),
    )
    .where('user', '=', user)
    .where('phone', '=', anyOf(phones))
    .execute()
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

/** A contact's values for a text. Variables of a request cannot override name and phone. */
interface Person {
  readonly name: string
  readonly phone: string
  /** The contact's custom fields (`contacts.data`), by their names in the template. */
  readonly fields?: ReadonlyMap<string, string>
}

/** `{{name}}` or `{{name|fallback}}`; the fallback replaces an empty or missing value. Case is ignored. */
interface Placeholder {
  readonly name: string
  readonly fallback: string | undefined
}

type Template = readonly (string | Placeholder)[]

/** Matches `{{variable}}`: no braces inside, and a name before the first `|`. */
const PLACEHOLDER = /\{\{(\s*[^{}\s|][^{}]*)\}\}/

/** Parses a template once for all recipients: rendering is then a join. Never fails. */
export function parseTemplate(body: string): Template {
  return body.split(PLACEHOLDER).map((part, i) => (i % 2 === 1 ? placeholderOf(part) : part))
}

function placeholderOf(text: string): Placeholder {
  const at = text.indexOf('|')
  if (at < 0) return { name: text.trim(), fallback: undefined }
  return { name: text.slice(0, at).trim(), fallback: text.slice(at + 1).trim() }
}

/** Fills in the request's variables, not those of each person. Braces in values are not read as variables. */
export function fillVariables(template: Template, variables: Readonly<Record<string, string>>): Template {
  const find = valuesByName(Object.entries(variables))
  return template.map((part) => {
    if (typeof part === 'string' || personField(part.name)) return part
    const value = find(part.name)
    return value === undefined ? part : orFallback(value, part)
  })
}

/** Returns a function that finds a value by its exact name, else ignoring upper and lower case. */
function valuesByName(given: readonly (readonly [name: string, value: string])[]) {
  const exact = new Map(given)
  const lower = new Map(given.map(([name, value]) => [name.toLowerCase(), value]))
  return (name: string): string | undefined => exact.get(name) ?? lower.get(name.toLowerCase())
}

function personField(name: string): 'name' | 'phone' | undefined {
  const lower = name.toLowerCase()
  return lower === 'name' || lower === 'phone' ? lower : undefined
}

const orFallback = (value: string, { fallback }: Placeholder) =>
  fallback !== undefined && value.trim() === '' ? fallback : value

/** The names of placeholders that only contacts' custom fields can fill, each once. */
const fieldNames = (filled: Template): string[] => {
  const names = filled.flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
  return [...new Set(names)].filter((name) => !personField(name))
}

function refuseMissing(name: string): never {
  throw templateRefusal(`Missing variable: ${name}.`)
}

/** The text for a recipient. @param missing makes the text for a missing value; by default it throws 400. */
export function renderFor(
  filled: Template,
  person: Person,
  missing: (name: string) => string = refuseMissing,
): string {
  let text = ''
  for (const part of filled) {
    if (typeof part === 'string') text += part
    else text += orFallback(valueFor(part, person) ?? part.fallback ?? missing(part.name), part)
  }
  return text
}

function valueFor({ name }: Placeholder, person: Person): string | undefined {
  const field = personField(name)
  return field ? person[field] : person.fields?.get(name)
}

const PURPOSE = 'text'
/** Marks a message whose text is stored encrypted. Once the message ends, only the shown text is left. */
export const SEALED: Origin = { api: 'sealed', id: '', data: {} }

export const sealText = (db: Db, user: string, text: string) => seal(db, PURPOSE, user, text)

/** Decrypts a text for a device to send; undefined if that fails. */
export const openText = (db: Db, user: string, sealed: string) => unseal(db, PURPOSE, user, sealed)

/** SQL: the text of message `m` for sending it again; '' for an encrypted text, which is not kept. */
export const REPEATABLE_TEXT = `case when exists (
  select from sms_origins o where o.ref in (m.id, m.batch_id) and o.api = '${SEALED.api}') then '' else m.body end`
