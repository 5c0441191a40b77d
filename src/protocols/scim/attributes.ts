import { isObject } from '../../platform/tools/json.ts'
import { invalidValue } from './scim-errors.ts'

// The attributes of users and groups that this server keeps. It ignores all others, such as titles, phone
// numbers and passwords.

type Part = 'text' | 'boolean'
type Parts = Readonly<Record<string, Part>>
/** `parts`: of a complex attribute. `max`: the attribute is a list of at most so many. */
type Attribute = Part | { readonly parts: Parts; readonly max?: number }
export type Attributes = Readonly<Record<string, Attribute>>

const MAX_TEXT = 255
const MAX_LISTED = 10
export const MAX_PEOPLE = 1_000

export const USER_ATTRIBUTES = {
  externalId: 'text',
  userName: 'text',
  displayName: 'text',
  active: 'boolean',
  name: { parts: { formatted: 'text', familyName: 'text', givenName: 'text' } },
  emails: { parts: { value: 'text', type: 'text', primary: 'boolean' }, max: MAX_LISTED },
  roles: {
    parts: { value: 'text', display: 'text', type: 'text', primary: 'boolean' },
    max: MAX_LISTED,
  },
} as const satisfies Attributes

export const GROUP_ATTRIBUTES = {
  externalId: 'text',
  displayName: 'text',
  members: { parts: { value: 'text' }, max: MAX_PEOPLE },
} as const satisfies Attributes

export type Item = Readonly<Record<string, string | boolean>>
/** A resource: texts, booleans, objects and lists by the names of their attributes. */
export type Resource = Record<string, string | boolean | Item | readonly Item[]>

/** The name as this server writes it, by a name in any case of letters; undefined for an unknown one. */
export function findName(names: object, asked: string): string | undefined {
  const wanted = asked.toLowerCase()
  return Object.keys(names).find((name) => name.toLowerCase() === wanted)
}

/** A name without the URN of its schema. Names of other schemas stay as they are. */
export const withoutUrn = (name: string): string =>
  name.replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i, '')

/** The known attributes of a body. Empty ones are left out. Throws 400. */
export function readResource(attributes: Attributes, body: unknown): Resource {
  if (!isObject(body)) throw invalidValue('The body must be an object')
  const resource: Resource = {}
  for (const [asked, given] of Object.entries(body)) {
    const name = findName(attributes, withoutUrn(asked))
    const value = name === undefined ? undefined : readAttribute(attributes, name, given)
    if (name !== undefined && value !== undefined) resource[name] = value
  }
  return resource
}

/** The value of an attribute; undefined for an empty one. Throws 400. */
export function readAttribute(
  attributes: Attributes,
  name: string,
  given: unknown,
): Resource[string] | undefined {
  const attribute = attributes[name]!
  if (typeof attribute === 'string') return readPart(attribute, name, given)
  if (attribute.max === undefined) return readItem(attribute.parts, name, given)
  return readList(attribute.parts, attribute.max, name, given)
}

function readList(parts: Parts, max: number, name: string, given: unknown): readonly Item[] {
  const list = given === null || given === undefined ? [] : [given].flat()
  if (list.length > max) throw invalidValue(`${name}: at most ${max} values`)
  return list.map((one) => readItem(parts, name, one)).filter((item) => item !== undefined)
}

/** An item of a list or a complex value. A text stands for the item's `value`. */
export function readItem(parts: Parts, name: string, given: unknown): Item | undefined {
  if (given === null || given === undefined) return undefined
  const object = typeof given === 'string' ? { value: given } : given
  if (!isObject(object)) throw invalidValue(`${name} must be an object`)
  const read = Object.entries(object).flatMap(([asked, value]) => {
    const part = findName(parts, asked)
    const kept = part === undefined ? undefined : readPart(parts[part]!, `${name}.${part}`, value)
    return kept === undefined ? [] : [[part, kept] as const]
  })
  return read.length > 0 ? Object.fromEntries(read) : undefined
}

/** A text or boolean; undefined for an empty one. Entra ID sends booleans as texts. Throws 400. */
export function readPart(part: Part, name: string, given: unknown): string | boolean | undefined {
  if (given === null || given === undefined || given === '') return undefined
  if (part === 'boolean') return readBoolean(name, given)
  const text = typeof given === 'number' ? String(given) : given
  if (typeof text !== 'string') throw invalidValue(`${name} must be a text`)
  if (text.length > MAX_TEXT) throw invalidValue(`${name} has more than ${MAX_TEXT} characters`)
  return text
}

function readBoolean(name: string, given: unknown): boolean {
  const text = String(given).toLowerCase()
  if (text !== 'true' && text !== 'false') throw invalidValue(`${name} must be true or false`)
  return text === 'true'
}
