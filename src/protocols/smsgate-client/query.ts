import { z } from 'zod'
import { parseDate } from '../../fields/types/date.ts'
import { BOOLS } from '../../records/read/list.ts'
import { invalid } from '../../sms/send/shape.ts'

/** 400 for a `deviceId` that is none of the user's devices. */
export const unknownDevice = () => invalid('deviceId is no device of yours')

/** The first values of a request's query parameters. Unknown ones are ignored. */
export type Query = Readonly<Record<string, string>>

/** SMSGate's ids of devices have 21 characters, ours 15. */
export const MAX_DEVICE_ID = 21

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
const NO_DATE = 'must be a date, for example 2026-11-20T07:00:00Z'

/** An instant in PocketBase's form; '' for an invalid RFC 3339 date. */
const readInstant = (text: string) => (RFC3339.test(text) ? parseDate(text) : '')

/** A field that holds an instant, in PocketBase's form. */
export const rfc3339 = () =>
  z
    .string('must be a date')
    .transform((raw, issues) => {
      const at = readInstant(raw)
      if (at) return at
      issues.addIssue({ code: 'custom', message: NO_DATE, continue: false })
      return z.NEVER
    })
    .describe('An instant of RFC 3339, as `2026-11-20T07:00:00Z`.')

/** An instant of the query in PocketBase's form, '' if it is left out. Throws 400. */
export function dateIn(query: Query, name: string): string {
  const raw = query[name]
  if (!raw) return ''
  // a `+` that was not escaped is a space
  const at = readInstant(raw.replace(' ', '+'))
  if (!at) throw invalid(`${name} ${NO_DATE}`)
  return at
}

/** The `deviceId` of the query; '' if absent. Throws 400 for an impossible id. */
export function deviceIn({ deviceId = '' }: Query): string {
  if (deviceId.length > MAX_DEVICE_ID) throw invalid(`deviceId must have at most ${MAX_DEVICE_ID} characters`)
  if (deviceId.includes('\0')) throw invalid('deviceId must not contain a NUL character')
  return deviceId
}

/** A whole number of the query; undefined if absent. Throws 400 if invalid. */
export function numberIn(query: Query, name: string): number | undefined {
  const raw = query[name]
  if (!raw) return undefined
  if (!/^-?\d{1,15}$/.test(raw)) throw invalid(`${name} must be a whole number`)
  return Number(raw)
}

/** A boolean of the query; false if absent. Throws 400 if invalid. */
export function flagIn(query: Query, name: string): boolean {
  const raw = query[name]
  if (!raw) return false
  const value = BOOLS.get(raw)
  if (value === undefined) throw invalid(`${name} must be true or false`)
  return value
}
