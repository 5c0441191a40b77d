import { withoutUrn } from './attributes.ts'
import { scimRefusal } from './scim-errors.ts'

/** `name eq value`, with the name in lower case and without its schema: `emails.value`. */
export interface AttributeComparison {
  readonly name: string
  readonly value: string | boolean
}

const MAX_LENGTH = 1_000
const NAME = /\s*([a-z$][\w$:.-]*)/iy
const EQUALS = /\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)/iy
const AND = /\s+and(?=\s)/iy
/** What a list's name is compared by inside of brackets. */
const INSIDE = /\[((?:[^"\]]|"(?:[^"\\]|\\.)*")*)\]/y
const PART = /\.(\w+)/y

const UNKNOWN = 'Filters compare by eq, joined by and: userName eq "ann@example.com"'
const invalidFilter = (message = UNKNOWN) => scimRefusal(400, message, 'invalidFilter')

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The first group of a pattern that matches here; undefined if it does not match. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (!found) return undefined
    this.#at = pattern.lastIndex
    return found[1] ?? ''
  }

  get isAtEnd(): boolean {
    return this.#text.slice(this.#at).trim() === ''
  }
}

/** The comparisons of a filter, all of which must hold: RFC 7644, section 3.4.2.2. Throws 400. */
export function parseScimFilter(text: string): readonly AttributeComparison[] {
  if (text.length > MAX_LENGTH) throw invalidFilter('The filter is too long')
  const reader = new Reader(text)
  const found: AttributeComparison[] = []
  do found.push(...takeTerm(reader))
  while (reader.take(AND) !== undefined)
  if (!reader.isAtEnd) throw invalidFilter()
  return found
}

/** `userName eq "a"`, `emails[type eq "work"]` or `emails[type eq "work"].value eq "a"`. */
function takeTerm(reader: Reader): readonly AttributeComparison[] {
  const written = reader.take(NAME)
  if (written === undefined) throw invalidFilter()
  const name = withoutUrn(written).toLowerCase()
  const inside = reader.take(INSIDE)
  if (inside === undefined) return [{ name, value: takeValue(reader) }]
  const of = parseScimFilter(inside).map((one) => ({ ...one, name: `${name}.${one.name}` }))
  const part = reader.take(PART)
  if (part === undefined) return of
  return [...of, { name: `${name}.${part.toLowerCase()}`, value: takeValue(reader) }]
}

function takeValue(reader: Reader): string | boolean {
  const literal = reader.take(EQUALS)
  if (literal === undefined) throw invalidFilter()
  if (!literal.startsWith('"')) return literal.toLowerCase() === 'true'
  try {
    return JSON.parse(literal) as string
  } catch {
    throw invalidFilter('A text of the filter is not valid JSON')
  }
}

/** SQL conditions by the names of attributes in lower case; null for one that is always true. */
export type Conditions<Query> = Readonly<
  Record<string, null | ((query: Query, value: string) => Query)>
>

/** The query with the conditions of a filter. `kind` names what it finds, in the plural. Throws 400. */
export function addFilter<Query>(
  query: Query,
  filter: string | undefined,
  conditions: Conditions<Query>,
  kind: string,
): Query {
  const comparisons = filter ? parseScimFilter(filter) : []
  return comparisons.reduce((chosen, { name, value }) => {
    if (!Object.hasOwn(conditions, name))
      throw scimRefusal(400, `${kind} cannot be found by ${name}`, 'invalidFilter')
    return conditions[name]?.(chosen, String(value)) ?? chosen
  }, query)
}

/** A path of a PATCH: an attribute, which of its items, and which part of them. */
export interface AttributePath {
  readonly attribute: string
  readonly where: readonly AttributeComparison[]
  readonly part?: string
}

/** Reads `emails[type eq "work"].value`, of another schema only the name: RFC 7644, 3.5.2. Throws 400. */
export function parsePath(text: string): AttributePath {
  const name = /^[^[]*/.exec(text)![0]
  if (/^urn:/i.test(withoutUrn(name))) return { attribute: name, where: [] }
  const [attribute = '', part, ...more] = withoutUrn(name).split('.')
  const reader = new Reader(text.slice(name.length))
  const inside = reader.take(INSIDE)
  const last = inside === undefined ? part : reader.take(PART)
  if (attribute === '' || !reader.isAtEnd || more.length > 0 || (inside !== undefined && part))
    throw scimRefusal(400, `The path ${text.slice(0, MAX_LENGTH)} cannot be read`, 'invalidPath')
  return {
    attribute,
    where: inside === undefined ? [] : parseScimFilter(inside),
    ...(last !== undefined && { part: last }),
  }
}
