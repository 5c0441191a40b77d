import { FIELDS, type Rows, type RowText } from './rows.ts'

// In quotes, a backslash makes any character literal, and '' differs from null.
const quoteItem = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

/**
 * An array as Postgres reads it from the text of a parameter, to be cast to its type. Postgres reads rows in
 * it in a quarter of the time that JSON takes: 64 sends in 0.2 ms of CPU instead of 0.9.
 */
export const writeArray = (items: readonly string[]): string =>
  `{${items.map(quoteItem).join(',')}}`

/** A row of a composite type as Postgres reads it from text. Fields that are left out are null. */
export function writeRow<T extends keyof Rows>(type: T, values: Rows[T]): RowText {
  const texts: string[] = []
  for (const field of FIELDS[type]) {
    const value: unknown = values[field]
    if (value === null || value === undefined) texts.push('')
    else texts.push(quoteItem(Array.isArray(value) ? writeArray(value) : String(value)))
  }
  return `(${texts.join(',')})`
}
