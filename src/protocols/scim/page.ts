import { sql } from 'kysely'
import { scimRefusal } from './scim-errors.ts'

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** The part of a list that a request asks for: RFC 7644, section 3.4.2.4. */
export interface AskedPage {
  readonly startIndex: number
  readonly count: number
}

type Query = Readonly<Record<string, string>>

/** `max`: the largest page, also when the request names no `count`. Throws 400. */
export const readPage = ({ startIndex = '1', count }: Query, max: number): AskedPage => ({
  startIndex: Math.max(1, readNumber('startIndex', startIndex)),
  count: Math.min(max, Math.max(0, count === undefined ? max : readNumber('count', count))),
})

function readNumber(name: string, text: string): number {
  if (/^-?\d{1,9}$/.test(text)) return Number(text)
  throw scimRefusal(400, `${name} must be a whole number`, 'invalidValue')
}

export const renderList = (total: number, { startIndex }: AskedPage, found: readonly object[]) => ({
  schemas: [LIST_SCHEMA],
  totalResults: total,
  startIndex,
  itemsPerPage: found.length,
  Resources: found,
})

/** SQL: whether two texts are equal in any case of ASCII letters. */
export const equalsIgnoringCase = (column: string, value: string) =>
  sql<boolean>`lower(${sql.ref(column)}) = lower(${value}::text collate "C")`

const ALWAYS = new Set(['schemas', 'id', 'meta'])

/** Leaves out what `excludedAttributes` names, or what `attributes` does not: RFC 7644, section 3.9. */
export function pickAttributes<T extends object>(resource: T, query: Query): Partial<T> {
  const wanted = readNames(query.attributes)
  const unwanted = readNames(query.excludedAttributes)
  const isShown = (name: string) =>
    ALWAYS.has(name) ||
    (wanted ? wanted.has(name.toLowerCase()) : !unwanted?.has(name.toLowerCase()))
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => isShown(name)),
  ) as Partial<T>
}

/** Whether an answer needs an attribute that is costly to read. */
export const isWanted = (name: string, query: Query): boolean =>
  Object.hasOwn(pickAttributes({ [name]: true }, query), name)

/** Names in lower case, without their schemas and parts: `emails` of `emails.value`. */
const readNames = (list: string | undefined): ReadonlySet<string> | undefined =>
  list === undefined || list === ''
    ? undefined
    : new Set(
        list.split(',').map((name) => {
          const plain = name.trim().split(':').at(-1)!
          return plain.split('.')[0]!.toLowerCase()
        }),
      )
