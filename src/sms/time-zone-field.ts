import { badRequest, fieldError } from '../errors.ts'
import type { Value } from '../fields/field.ts'

/** Throws 400 with `failure` for an unknown time zone. Empty is valid. */
export function checkTimeZone(time_zone: Value | undefined, failure: string): void {
  if (!time_zone || isTimeZone(String(time_zone))) return
  const message = 'Must be the name of a time zone, such as Europe/Berlin.'
  throw badRequest(failure, { time_zone: fieldError('validation_invalid_time_zone', message) })
}

/** Names begin with a letter; Intl would take offsets such as +01:00, too. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false // a RangeError: no such name
  }
}
