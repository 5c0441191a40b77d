import { readContactFieldValue } from '#portable/contact-field-value.ts'
import type { ContactField } from '../../data/record-types.ts'

/** What becomes of a value that was stored before its field had the type. */
type Conversion =
  | { readonly kind: 'fits' | 'misfit' }
  | { readonly kind: 'converts'; readonly value: unknown }

/** A time of day that a day without one would lose. */
const WITH_TIME = /[T ](?!00:00(?::00(?:\.0+)?)?Z?$)/

export function convertStored(field: ContactField, stored: unknown): Conversion {
  const reading = readContactFieldValue({ ...field, choices: field.choices ?? [] }, stored)
  const losesTime = field.type === 'date' && WITH_TIME.test(String(stored).trim())
  if (reading.fault || losesTime) return { kind: 'misfit' }
  return reading.value === stored ? { kind: 'fits' } : { kind: 'converts', value: reading.value }
}
