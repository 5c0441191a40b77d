import type { Value } from '../../engine/fields/field.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Logger } from '../../platform/log.ts'

export type CheckedValues = Readonly<Record<string, Value>>

const refuseTimeZone = (
  field: string,
  message = 'Must be the name of a time zone, such as Europe/Berlin.',
) => invalidFields({ [field]: makeFieldError('validation_invalid_time_zone', message) })

/** Throws 400 for an unknown time zone. An empty one is valid; an unchanged one (`old`) may stay. */
export function checkTimeZone(
  values: CheckedValues,
  old?: CheckedValues,
  field = 'time_zone',
): void {
  const zone = values[field]
  if (!zone || zone === old?.[field] || isTimeZone(String(zone))) return
  throw refuseTimeZone(field)
}

/** Replaces a new time zone by Postgres' name for it. Throws 400 if Postgres has none. */
export async function completeTimeZone(
  db: Db,
  values: Record<string, Value>,
  old?: CheckedValues,
  field = 'time_zone',
): Promise<void> {
  checkTimeZone(values, old, field)
  if (!values[field] || values[field] === old?.[field]) return
  const zone = await callFunction(db, 'pb_known_zone', String(values[field]))
  if (zone === '')
    throw refuseTimeZone(field, 'The Postgres of this server does not know this time zone.')
  values[field] = zone
}

/** Whether Intl has the zone. The name must begin with a letter: Intl also accepts offsets (+01:00). */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false // RangeError: unknown name
  }
}

/**
 * Checks the fields that the first argument names. Throws 400 for one time without the other, equal times, or
 * days without times; not if none of them differs from `old`.
 */
export function checkHours(
  { from, to, days = '' }: Readonly<Record<'from' | 'to', string>> & { readonly days?: string },
  values: CheckedValues,
  old?: CheckedValues,
): void {
  const isSame = (field: string) => String(values[field] ?? '') === String(old?.[field] ?? '')
  if (old && [from, to, days].every(isSame)) return
  const refusal = (field: string, message: string) =>
    invalidFields({ [field]: makeFieldError('validation_invalid_hours', message) })
  const [begins, ends] = [values[from] || '', values[to] || '']
  if ((begins === '') !== (ends === ''))
    throw refusal(begins === '' ? from : to, 'Both times are needed, or none.')
  if (begins !== '' && begins === ends) throw refusal(to, 'The two times are the same.')
  if (begins === '' && String(values[days] ?? '') !== '')
    throw refusal(from, 'Days need times. A whole day is from 00:00 to 23:59.')
}

const ADVICE =
  'Quiet hours there follow the account, else UTC. Change them in contacts and accounts, or update tzdata.'

/** Zones that `sms_unknown_zones` found: names, null for none; undefined if it was not asked. */
export function describeZones(unknown: unknown) {
  if (unknown === undefined) return { found: 'not asked for' }
  if (!unknown) return { found: 'Postgres knows all that are stored' }
  return { found: `Postgres does not know ${unknown}`, advice: ADVICE }
}

/** Logs the stored time zones that this Postgres lacks, for example after a move or a restore. */
export async function warnAboutZones(db: Db, log: Logger): Promise<void> {
  const zones = await callFunction(db, 'sms_unknown_zones')
  const { found, advice } = describeZones(zones)
  if (advice) log.warn({ zones }, `${found}. ${advice}`)
}
