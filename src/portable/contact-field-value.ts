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
const ISO_DAY = /^(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?$/
const DAY_WITH_DOTS = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

/**
 * Reads a value that a person, a file or a program gives to a field: a number as `12.5` or `12,5`, a day as
 * `2026-12-31` or `31.12.2026`, a choice in any case of letters. An empty value fits each type.
 */
export function readContactFieldValue(
  { type, choices }: ContactFieldKind,
  given: unknown,
): ValueReading {
  if (isEmpty(given)) return { value: given }
  if (typeof given === 'object') return { fault: type }
  const text = String(given).trim()
  if (type === 'text') return { value: given }
  const value =
    type === 'number'
      ? readNumber(text, typeof given === 'number')
      : type === 'date'
        ? readDay(text)
        : choices.find((choice) => choice.toLowerCase() === text.toLowerCase())
  return value === undefined ? { fault: type } : { value }
}

/** Whether a typed number may be 1500 or 1.5: `1.500`, `1,500`. */
export const isAmbiguousNumber = (text: string): boolean => AMBIGUOUS.test(text.trim())

const readNumber = (text: string, isNumber: boolean): number | undefined =>
  DECIMAL.test(text) && (isNumber || !isAmbiguousNumber(text))
    ? Number(text.replace(',', '.'))
    : undefined

function readDay(text: string): string | undefined {
  const iso = ISO_DAY.exec(text)
  const dotted = DAY_WITH_DOTS.exec(text)
  const parts = iso ? iso.slice(1, 4) : dotted?.slice(1, 4).reverse()
  if (!parts) return undefined
  const day = parts.map((part) => part.padStart(2, '0')).join('-')
  // the 31st of February becomes another day
  const time = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day) ? day : undefined
}
