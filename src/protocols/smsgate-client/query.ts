import { z } from 'zod'
import { parseDate } from '../../fields/types/date.ts'
import { readBool } from '../../fields/values/cast.ts'
import { id, invalid } from '../../sms/send/shape.ts'

/** 400 for a `deviceId` that is none of the user's devices. */
export const unknownDevice = () => invalid('deviceId is no device of yours')

/** The first values of a request's query parameters. Unknown ones are ignored. */
export type Query = Readonly<Record<string, string>>

/** SMSGate's ids of devices have 21 characters, ours 15. */
export const MAX_DEVICE_ID = 21

const NO_DATE = 'must be a date, for example 2026-11-20T07:00:00Z'

/** A field that holds an instant, in PocketBase's form. */
export const rfc3339 = () =>
  z.iso
    .datetime({ offset: true, error: NO_DATE, abort: true })
    .transform((raw) => parseDate(raw))
    .refine((at) => at !== '', NO_DATE)
    .describe('An instant of RFC 3339, as `2026-11-20T07:00:00Z`.')

/** The parameters that are not empty: an empty one counts as left out. Unknown ones are ignored. */
export const givenIn = (query: Query): Query =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))

/** An instant of a query, '' if it is left out. A space is an unescaped `+`. */
export const dateIn = z
  .string()
  .transform((raw) => raw.replace(' ', '+'))
  .pipe(rfc3339())
  .default('')

/** The `deviceId` of a query; '' if absent. */
export const deviceIn = id(MAX_DEVICE_ID).default('')

/** A whole number of a query. */
export const numberIn = z
  .string()
  .regex(/^-?\d{1,15}$/, { error: 'must be a whole number', abort: true })
  .transform(Number)

/** A boolean of a query; false if absent. */
export const flagIn = z
  .string()
  .refine((raw) => readBool(raw) !== undefined, { error: 'must be true or false', abort: true })
  .transform((raw) => readBool(raw)!)
  .default(false)
