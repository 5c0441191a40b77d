import { readContactFieldValue } from '#portable/contact-field-value.ts'
import { accountLocale } from '../../data/account-locale.ts'
import type { ContactField } from '../../data/record-types.ts'

/** Converts a value that was stored before its field had the type. */
type Conversion =
  | { readonly kind: 'fits' | 'misfit' }
  | { readonly kind: 'converts'; readonly value: unknown }

/** A time of day that a day without one would lose. */
const WITH_TIME = /[T ](?!00:00(?::00(?:\.0+)?)?Z?$)/

/** Whether a value has a time, or is midnight elsewhere and another day here. */
const hasTime = (text: string, day: unknown): boolean =>
  WITH_TIME.test(text) || (text.endsWith('Z') && !text.startsWith(String(day)))

export function convertStored(field: ContactField, stored: unknown): Conversion {
  const kind = { ...field, choices: field.choices ?? [] }
  const reading = readContactFieldValue(kind, stored, accountLocale())
  if (reading.fault) return { kind: 'misfit' }
  const { value } = reading
  if (field.type === 'date' && hasTime(String(stored).trim(), value)) return { kind: 'misfit' }
  return value === stored ? { kind: 'fits' } : { kind: 'converts', value }
}
