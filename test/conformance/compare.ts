import type { Answer } from './client.ts'
import { type Expectation, parsed } from './corpus.ts'

/** The first place where an answer differs. */
export interface Difference {
  readonly path: string
  readonly expected: unknown
  readonly got: unknown
}

export const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}Z$/
export const ID = /^[a-z0-9]{15}$/
export const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/
const CLOCK_SECONDS = 120

/** Takes out of a text what only this server puts there. */
export type Plain = (text: string) => string

export type Claims = Pick<NonNullable<Expectation['claims']>, 'header' | 'payload'>

type Keyed = Record<string, unknown>

const isKeyed = (value: unknown): value is Keyed =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

function matches(matcher: string, value: unknown): boolean {
  const isText = (pattern: RegExp) => typeof value === 'string' && pattern.test(value)
  if (matcher.startsWith('regex:')) return isText(new RegExp(matcher.slice(6), 's'))
  if (matcher.startsWith('unixIn:'))
    return Math.abs(Number(value) - Date.now() / 1000 - Number(matcher.slice(7))) < CLOCK_SECONDS
  if (matcher === 'id') return isText(ID)
  if (matcher === 'token') return isText(TOKEN)
  if (matcher === 'datetime') return isText(TIME)
  if (matcher === 'any') return value !== undefined
  if (matcher === 'string' || matcher === 'number') return typeof value === matcher
  throw new Error(`unknown matcher ${matcher}`)
}

/** Compares JSON values; `isSet`: an array in any order. */
export function difference(
  expected: unknown,
  got: unknown,
  path = '',
  isSet = false,
): Difference | undefined {
  const here = { path: path || '/', expected, got }
  if (isKeyed(expected) && typeof expected.$match === 'string')
    return matches(expected.$match, got) ? undefined : here
  if (Array.isArray(expected)) {
    if (!Array.isArray(got)) return here
    if (isSet) return differentSet(expected, got, path)
    const length = Math.max(expected.length, got.length)
    return first(length, (i) => difference(expected[i], got[i], `${path}/${i}`))
  }
  if (isKeyed(expected) && isKeyed(got)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(got)])]
    // the order inside an expanded back-relation is not defined
    return first(keys.length, (i) =>
      difference(expected[keys[i]!], got[keys[i]!], `${path}/${keys[i]}`, keys[i]!.includes('_via_')),
    )
  }
  return expected === got ? undefined : here
}

function first(count: number, at: (i: number) => Difference | undefined): Difference | undefined {
  for (let i = 0; i < count; i++) {
    const found = at(i)
    if (found) return found
  }
}

function differentSet(expected: unknown[], got: unknown[], path: string): Difference | undefined {
  const rest = [...got]
  const missing = expected.filter((item) => {
    const i = rest.findIndex((other) => !difference(item, other))
    if (i >= 0) rest.splice(i, 1)
    return i < 0
  })
  if (missing.length + rest.length === 0) return undefined
  return { path: `${path} (as a set)`, expected: missing[0], got: rest[0] }
}

/** The value at a JSON pointer. */
export const at = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((inner, key) => (inner as Keyed | undefined)?.[key], value)

/** The two decoded parts of the token at a pointer. */
export function claimsAt(answer: Answer, pointer: string, plain: Plain): Claims {
  const [header, payload] = String(at({ body: answer.json }, pointer)).split('.')
  const decoded = (part = '') => parsed(plain(Buffer.from(part, 'base64url').toString()))
  return { header: decoded(header), payload: decoded(payload) }
}

/** Compares an answer with what is expected. */
export function judge(expected: Expectation, answer: Answer, plain: Plain): Difference | undefined {
  const { status, headers = {}, body, claims, contains = {}, unordered = false } = expected
  if (status !== undefined && status !== answer.status)
    return { path: 'status', expected: status, got: `${answer.status} ${answer.text.slice(0, 240)}` }
  const named = Object.keys(headers).map((name) => [name, answer.headers[name] ?? null])
  return (
    difference(headers, Object.fromEntries(named), 'headers') ??
    (expected.empty ? difference('', answer.text, 'text') : undefined) ??
    ('text' in expected ? difference(expected.text, answer.text, 'text') : undefined) ??
    ('body' in expected ? differentBody(body, answer.json, unordered) : undefined) ??
    first(Object.keys(contains).length, (i) => {
      const key = Object.keys(contains)[i]!
      return difference(contains[key], at(answer.json, `/${key}`), `/${key}`)
    }) ??
    (claims && difference({ ...claims, of: undefined }, claimsAt(answer, claims.of, plain), 'claims'))
  )
}

function differentBody(expected: unknown, got: unknown, isSet: boolean): Difference | undefined {
  if (!isSet || !isKeyed(expected) || !isKeyed(got)) return difference(expected, got, '', isSet)
  const { items, ...page } = expected
  const { items: gotItems, ...gotPage } = got
  return difference(page, gotPage) ?? difference(items, gotItems, '/items', true)
}
