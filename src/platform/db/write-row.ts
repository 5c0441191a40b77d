import { FIELDS, type Rows, type RowText } from './rows.ts'

// In quotes, a backslash makes any character literal, and '' differs from null.
const quoteItem = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

/** As text, to be cast: 64 sends take 0.2 ms of Postgres' CPU instead of 0.9 as JSON. */
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
