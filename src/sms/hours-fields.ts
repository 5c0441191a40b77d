import { badRequest, fieldError } from '../errors.ts'
import type { Value } from '../fields/field.ts'

type Values = Readonly<Record<string, Value | undefined>>

/** The fields with hours of some days: two local times as `22:00`, and days. */
export interface HoursFields {
  readonly from: string
  readonly to: string
  readonly days: string
}

/** Throws 400 with `failure` for invalid hours. Stored ones (`old`) may stay. */
export function checkHours(fields: HoursFields, values: Values, failure: string, old?: Values): void {
  const { from, to, days } = fields
  const isSame = (field: string) => String(values[field] ?? '') === String(old?.[field] ?? '')
  if (old && [from, to, days].every(isSame)) return
  const [begins, ends] = [values[from] || '', values[to] || '']
  if ((begins === '') !== (ends === ''))
    throw refusal(begins === '' ? from : to, 'Both times are needed, or none.', failure)
  if (begins !== '' && begins === ends) throw refusal(to, 'The two times are the same.', failure)
  if (begins === '' && String(values[days] ?? '') !== '')
    throw refusal(from, 'Days need times. A whole day is from 00:00 to 23:59.', failure)
}

const refusal = (field: string, message: string, failure: string) =>
  badRequest(failure, { [field]: fieldError('validation_invalid_hours', message) })
