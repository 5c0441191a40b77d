import { isSqlError } from '../../../platform/db/database-errors.ts'
import { quoteSqlText, tokenizeSql, unquoteName } from './sql-tokens.ts'

const UNKNOWN_COLUMN = '42703'
/** Postgres cuts longer names. */
const MAX_NAME_BYTES = 63

/**
 * SQLite reads a name in double quotes as a text if no column has this name. Writes the name that `error`
 * says is unknown as a text, wherever the query has it in double quotes. Undefined if it has it nowhere.
 * https://sqlite.org/quirks.html#double_quoted_string_literals_are_accepted
 */
export function writeUnknownNameAsText(query: string, error: unknown): string | undefined {
  if (!isSqlError(error, UNKNOWN_COLUMN)) return undefined
  const [, unknown] = /^column "(.*)" does not exist$/s.exec(error.message) ?? []
  if (unknown === undefined) return undefined
  const isUnknown = (name: string) =>
    name === unknown || (Buffer.byteLength(name) > MAX_NAME_BYTES && name.startsWith(unknown))
  const text = tokenizeSql(query)
    .map((token) => {
      const name = token.text.startsWith('"') ? unquoteName(token.text) : undefined
      return name !== undefined && isUnknown(name) ? quoteSqlText(name) : token.text
    })
    .join('')
  return text === query ? undefined : text
}
