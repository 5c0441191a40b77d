import { z } from 'zod'
import { parseDate, toDate } from '../../engine/fields/parse-date.ts'
import { checkShape, makeIdSchema } from '../../gateway/base/body-schemas.ts'
import type { Ctx } from '../../http/request-context.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'

export const makeDeviceError = () => invalidRequest('deviceId is not one of your devices')

/** SMSGate's ids of devices have 21 characters, ours 15. */
export const MAX_DEVICE_ID = 21

const NO_DATE = 'must be a date, for example 2026-11-20T07:00:00Z'

/** Schema of a date and time in RFC 3339, converted to PocketBase's stored form. */
export const makeStoredDateSchema = () =>
  z.iso
    .datetime({ offset: true, error: NO_DATE, abort: true })
    .transform((raw) => parseDate(raw))
    .refine((at) => at !== '', NO_DATE)
    .describe('An instant of RFC 3339, as `2026-11-20T07:00:00Z`.')

/** Reads the query. An empty parameter counts as left out, unknown ones are ignored. Throws 400. */
export const checkQuery = <T extends z.ZodType>(c: Ctx, schema: T) =>
  checkShape(
    schema,
    Object.fromEntries(Object.entries(c.env.incoming.query).filter(([, value]) => value !== '')),
  )

/** A date and time in a query; '' if absent. A space is read as an unescaped `+`. */
export const queryDate = z
  .string()
  .transform((raw) => raw.replace(' ', '+'))
  .pipe(makeStoredDateSchema())
  .default('')

export const queryDevice = makeIdSchema(MAX_DEVICE_ID).default('')

export const queryNumber = z
  .string()
  .regex(/^-?\d{1,15}$/, { error: 'must be a whole number', abort: true })
  .transform(Number)

/** As Go's `strconv.ParseBool` reads it. */
export const queryFlag = z
  .stringbool({
    truthy: ['1', 't', 'T', 'true', 'TRUE', 'True'],
    falsy: ['0', 'f', 'F', 'false', 'FALSE', 'False'],
    case: 'sensitive',
    error: 'must be true or false',
  })
  .default(false)

/** A stored date as SMSGate's clients read it: `2026-11-20T07:00:00.000Z`. */
export const toIsoDate = (stored: string): string => toDate(stored)?.toISOString() ?? ''
