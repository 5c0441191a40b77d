import { z } from 'zod'
import { cleanText } from '../fields/cast.ts'
import { dateOf, parseDate } from '../fields/date.ts'
import { refuse } from './refusal.ts'

/**
 * A text without what the database cannot hold, of at most `max` characters (code points). What a check of our own says
 * stands in `meta` too: from there the API description has it.
 */
export const text = (max = Number.POSITIVE_INFINITY) =>
  z
    .string('must be a text')
    .transform(cleanText)
    .refine((value) => value.length <= max || [...value].length <= max, `must have at most ${max} characters`)
    .meta(Number.isFinite(max) ? { maxLength: max } : {})

/** The same, not empty. */
export const filled = (max?: number) =>
  text(max)
    .refine((value) => value !== '', 'must not be empty')
    .meta({ minLength: 1 })

/** A whole number of a range. */
export const whole = (min: number, max: number) => {
  const fault = `must be a whole number from ${min} to ${max}`
  return z.int(fault).min(min, fault).max(max, fault)
}

/** From 1970 to 9999: what JavaScript, Postgres and PocketBase all can name. */
const LAST_YEAR = 9999

/** An instant in any form that PocketBase reads, as milliseconds since 1970. */
export const instant = () =>
  z
    .string('must be a date')
    .transform((raw, issues) => {
      const at = dateOf(parseDate(raw))
      if (at && at.getTime() >= 0 && at.getUTCFullYear() <= LAST_YEAR) return at.getTime()
      issues.addIssue('must be a date, for example 2026-11-20T07:00:00.000Z')
      return z.NEVER
    })
    .meta({ description: 'An instant, as `2026-11-20T07:00:00.000Z`.' })

/** A list of at least one and at most `max` things. */
export const items = <T extends z.ZodType>(item: T, max: number) =>
  z.array(item, 'must be a list').min(1, 'must not be empty').max(max, `must have at most ${max} items`)

/** What `schema` makes of a body. Throws 400 `invalid_request` that names the first wrong field. */
export function checkShape<T extends z.ZodType>(schema: T, raw: unknown): z.output<T> {
  const parsed = schema.safeParse(raw)
  if (parsed.success) return parsed.data
  throw refuse('invalid_request', describe(parsed.error.issues[0]!))
}

/** `items[2].attempt must be a whole number` */
function describe(issue: z.core.$ZodIssue): string {
  const place = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  const field = place.replace(/^\./, '')
  if (issue.code === 'unrecognized_keys')
    return `${field ? `${field}.` : ''}${issue.keys[0]} is not a field of this request`
  return field === '' ? 'The body must be a JSON object' : `${field} ${issue.message}`
}
