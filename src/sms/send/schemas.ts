import { z } from 'zod'
import { cleanText } from '../../fields/cast.ts'
import { dateOf, parseDate } from '../../fields/date.ts'

/** Makes a failed zod check end the parse, so that a list with a million errors creates only one. */
const stop = (error: string) => ({ error, abort: true })

/** Makes texts of the schema storable in Postgres, and refuses texts of more than `max` code points. */
function cleaned(raw: z.ZodString, max?: number) {
  const text = raw.transform(cleanText)
  if (max === undefined) return text
  return text
    .refine(
      (value) => value.length <= max || [...value].length <= max,
      stop(`must have at most ${max} characters`),
    )
    .meta({ maxLength: max })
}

/** The schema of a text of at most `max` code points. Its output can be stored in Postgres. */
export const text = (max?: number) => cleaned(z.string(), max)

const nonEmpty = <T extends z.ZodType<string>>(schema: T) =>
  schema.refine((value) => value !== '', stop('must not be empty')).meta({ minLength: 1 })

export const nonEmptyText = (max?: number) => nonEmpty(text(max))

/** The schema of an id. Refuses NUL characters: if they were removed, the id could name another record. */
export const id = (max?: number) =>
  cleaned(
    z.string().refine((value) => !value.includes('\0'), stop('must not contain a NUL character')),
    max,
  )

export const nonEmptyId = (max?: number) => nonEmpty(id(max))

/** Matches texts of blanks and invisible characters only: control, zero-width and filler characters. */
const INVISIBLE = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u

export const isInvisible = (text: string): boolean => INVISIBLE.test(text)

export const visibleText = () =>
  text()
    .refine((value) => !INVISIBLE.test(value), stop('must have a visible character'))
    .meta({ minLength: 1 })

export const wholeNumber = (min: number, max: number) => {
  const fault = `must be a whole number from ${min} to ${max}`
  return z.int(fault).min(min, stop(fault)).max(max, stop(fault))
}

/** The last year of accepted dates: JavaScript, Postgres and PocketBase all support 1970 to 9999. */
const LAST_YEAR = 9999

/** The schema of an instant in any notation that PocketBase knows. Its output is milliseconds since 1970. */
export const instant = () =>
  z
    .string('must be a date')
    .transform((raw, issues) => {
      const at = dateOf(parseDate(raw))
      if (at && at.getTime() >= 0 && at.getUTCFullYear() <= LAST_YEAR) return at.getTime()
      issues.addIssue({
        code: 'custom',
        message: 'must be a date, for example 2026-11-20T07:00:00.000Z',
        continue: false,
      })
      return z.NEVER
    })
    .describe('An instant, as `2026-11-20T07:00:00.000Z`.')

/** A list of one to `max` items. */
export const listOf = <T extends z.ZodType>(item: T, max: number) =>
  z.array(item).min(1, 'must not be empty').max(max, `must have at most ${max} items`)
