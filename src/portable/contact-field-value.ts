import type { AccountLocale } from './account-locale.ts'
import { findByName, isInvisible } from './fold-text.ts'
import { toPlainText } from './phone/plain-text.ts'
import { readDay } from './read-day.ts'

export type ContactFieldType = 'text' | 'number' | 'date' | 'choice'

export interface ContactFieldKind {
  readonly type: ContactFieldType
  readonly choices: readonly string[]
}

/** A value as it is stored, or why it does not fit. */
export type ValueReading =
  | { readonly value: unknown; readonly fault?: undefined }
  | { readonly fault: ContactFieldType }

const DECIMAL = /^[+-]?\d{1,15}(?:\.\d{1,15}|,\d{1,2})?$/
/** Some write 1500 so, others 1.5. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

/**
 * Reads a value that a person, a file or a program gives to a field: a number as `12.5` or `12,5`, a day as
 * `readDay`, a choice in any spelling of its name. An empty value fits each type, and a number of JSON a
 * number.
 */
export function readContactFieldValue(
  { type, choices }: ContactFieldKind,
  given: unknown,
  locale: AccountLocale,
): ValueReading {
  if (isEmpty(given)) return { value: given }
  if (typeof given === 'object') return { fault: type }
  const text = String(given).trim()
  if (type === 'text') return { value: given }
  if (isInvisible(text)) return { value: '' }
  const value =
    type === 'number'
      ? readNumber(given)
      : type === 'date'
        ? readDay(text, locale)
        : findByName(choices, text, (choice) => choice)
  return value === undefined ? { fault: type } : { value }
}

/** Whether a typed number may be 1500 or 1.5: `1.500`, `1,500`. */
export const isAmbiguousNumber = (text: string): boolean => AMBIGUOUS.test(text.trim())

function readNumber(given: unknown): number | undefined {
  // JSON has no negative zero that people could see
  if (typeof given === 'number') return Number.isFinite(given) ? given + 0 : undefined
  const text = toPlainText(String(given)).replace('\u066b', '.')
  return DECIMAL.test(text) && !isAmbiguousNumber(text) ? Number(text.replace(',', '.')) : undefined
}
