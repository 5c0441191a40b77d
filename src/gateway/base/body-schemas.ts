import { z } from 'zod'
import { formatPlainNumber } from '../../engine/fields/convert-values.ts'
import { parseDate, toDate } from '../../engine/fields/parse-date.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { cleanText } from '../../platform/tools/clean-text.ts'
import { isInvisible } from '../../portable/fold-text.ts'

/** Makes a failed zod check end the parse, so that a list with a million errors creates only one. */
const abortWith = (error: string) => ({ error, abort: true })

/** Makes texts of the schema storable in Postgres, and refuses texts of more than `max` code points. */
function makeCleanSchema(raw: z.ZodString, max?: number) {
  const text = raw.transform(cleanText)
  if (max === undefined) return text
  return text
    .refine(
      (value) => value.length <= max || [...value].length <= max,
      abortWith(`must have at most ${max} characters`),
    )
    .meta({ maxLength: max })
}

/** The schema of a text of at most `max` code points. Its output can be stored in Postgres. */
export const makeTextSchema = (max?: number) => makeCleanSchema(z.string(), max)

const refuseEmpty = <T extends z.ZodType<string>>(schema: T) =>
  schema.refine((value) => value !== '', abortWith('must not be empty')).meta({ minLength: 1 })

export const makeRequiredTextSchema = (max?: number) => refuseEmpty(makeTextSchema(max))

/** The schema of an id. Refuses NUL characters: if they were removed, the id could name another record. */
export const makeIdSchema = (max?: number) =>
  makeCleanSchema(
    z
      .string()
      .refine((value) => !value.includes('\0'), abortWith('must not contain a NUL character')),
    max,
  )

export const makeRequiredIdSchema = (max?: number) => refuseEmpty(makeIdSchema(max))

/** A text of a message; see `acceptNumber`. */
export const makeVisibleText = () =>
  acceptNumber(
    makeTextSchema()
      .refine((value) => !isInvisible(value), abortWith('must have a visible character'))
      .meta({ minLength: 1 }),
  )

const LOST_DIGITS = 'has more digits than a JSON number keeps: send a text'

/** Whether a number was read with all digits that its writer may have sent. */
export const keepsDigits = (value: number): boolean => Math.abs(value) <= Number.MAX_SAFE_INTEGER

/**
 * The schema of a text for which JSON writers without types, such as spreadsheets and low-code tools, send a
 * number: a code, an order, a phone number. The number becomes its decimal text. Refuses integers above 2^53,
 * whose last digits were lost. OpenAPI shows the schema of the text.
 */
export const acceptNumber = <T extends z.ZodType>(schema: T) =>
  z.preprocess((raw, issues) => {
    if (typeof raw !== 'number') return raw
    if (!keepsDigits(raw)) issues.addIssue(abortWith(LOST_DIGITS).error)
    return formatPlainNumber(raw)
  }, schema)

/** The schema of a value of a variable. Its output is a text that can be stored in Postgres. */
export const makeVariableValue = () =>
  z
    .union(
      [z.string().overwrite(cleanText), z.number(), z.boolean()],
      'must be a text, a number or a boolean',
    )
    .refine((value) => typeof value !== 'number' || keepsDigits(value), abortWith(LOST_DIGITS))

export const makeWholeNumber = (min: number, max: number) => {
  const fault = `must be a whole number from ${min} to ${max}`
  return z.int(fault).min(min, abortWith(fault)).max(max, abortWith(fault))
}

/** The last year of accepted dates: JavaScript, Postgres and PocketBase all support 1970 to 9999. */
const LAST_YEAR = 9999

/** The schema of an instant in any notation that PocketBase reads. Its output is milliseconds since 1970. */
export const makeInstantSchema = () =>
  z
    .string('must be a date')
    .transform((raw, issues) => {
      const at = toDate(parseDate(raw))
      if (at && at.getTime() >= 0 && at.getUTCFullYear() <= LAST_YEAR) return at.getTime()
      issues.addIssue({
        code: 'custom',
        message: 'must be a date, for example 2026-11-20T07:00:00.000Z',
        continue: false,
      })
      return z.NEVER
    })
    .describe('An instant, as `2026-11-20T07:00:00.000Z`.')

export const makeListSchema = <T extends z.ZodType>(item: T, max: number) =>
  z.array(item).min(1, 'must not be empty').max(max, `must have at most ${max} items`)

/** `abortEarly` ends lists and objects at their first fault. zod 4.6 reads it, but its types lack it. */
const FIRST_FAULT = { error: explainIssue, abortEarly: true }

/** Parses a body. Throws 400 for the first error only: all in 4 MB took 10 s. */
export function checkShape<T extends z.ZodType>(schema: T, raw: unknown): z.output<T> {
  const parsed = schema.safeParse(raw, FIRST_FAULT)
  if (parsed.success) return parsed.data
  throw invalidRequest(describeFault(parsed.error.issues[0]!, raw))
}

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Names of zod's types in error messages, for schemas without a message of their own. */
const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
}

const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** Zod's error map. A message ends a sentence; for a union it is '', because its members have messages. */
function explainIssue(issue: z.core.$ZodRawIssue) {
  if (issue.code === 'invalid_union') return ''
  if (issue.code === 'invalid_value')
    return `must be ${ALTERNATIVES.format(issue.values.map(String))}`
  if (issue.code === 'too_small') return explainBound('least', issue.minimum, issue.origin)
  if (issue.code === 'too_big') return explainBound('most', issue.maximum, issue.origin)
  const type = issue.code === 'invalid_type' && TYPES[String(issue.expected)]
  return type ? `must be ${type}` : 'has a value that is not allowed'
}

/** Units in which a text and a list are counted; a number is compared itself. */
const COUNTED: Readonly<Record<string, string>> = { string: 'characters', array: 'items' }

function explainBound(bound: 'least' | 'most', limit: number | bigint, origin: string): string {
  const unit = COUNTED[origin]
  if (!unit) return `must be at ${bound} ${limit}`
  return bound === 'least' && limit === 1
    ? 'must not be empty'
    : `must have at ${bound} ${limit} ${unit}`
}

/** Describes a fault: `items[2].attempt must be a whole number`. */
function describeFault(issue: Issue, raw: unknown): string {
  if (issue.code === 'invalid_union' && issue.message === '')
    return describeFault(findLikeliestIssue(issue, raw), raw)
  const { path } = issue
  if (issue.code === 'unrecognized_keys')
    return `${formatPath([...path, issue.keys[0]!])} is not a field of this request`
  if (path.length > 0)
    return `${formatPath(path)} ${isPathMissing(raw, path) ? 'is required' : issue.message}`
  if (issue.code !== 'invalid_type') return `The body ${issue.message}`
  return `The body must be a JSON ${issue.expected === 'array' ? 'list' : 'object'}`
}

const formatPath = (path: Path) =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')

/** The likeliest fault of a union: in a present value if possible, the deepest one, the last of equals. */
function findLikeliestIssue(issue: z.core.$ZodIssueInvalidUnion, raw: unknown): Issue {
  const first = issue.errors.flatMap(([fault]) =>
    fault ? [{ ...fault, path: [...issue.path, ...fault.path] }] : [],
  )
  const rank = ({ path }: Issue) => (isPathMissing(raw, path) ? 0 : 1_000) + path.length
  return first.reduce((best, fault) => (rank(fault) >= rank(best) ? fault : best))
}

function isPathMissing(raw: unknown, path: Path) {
  let at = raw
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return true
    at = (at as Record<PropertyKey, unknown>)[key]
  }
  return false
}
