import { isSqlError } from '../../db/errors.ts'

/** SQLite's message by the SQLSTATE of Postgres' error, whose message the pattern matches. */
const SQLITE: Readonly<Record<string, readonly [RegExp, (...what: string[]) => string]>> = {
  42601: [/at or near "(.*)"$/s, (what) => `near "${what}": syntax error`],
  42702: [/^column reference "(.*)" is ambiguous$/, (what) => `ambiguous column name: ${what}`],
  42703: [/^column "?(.*?)"? does not exist$/, (what) => `no such column: ${what}`],
  42883: [/^function (.*?)\(.*\) does not exist$/s, (what) => `no such function: ${what}`],
  42701: [
    /^column "(.*)" of relation "(.*)" already exists$/,
    (what, table) => `error in table ${table} after rename: duplicate column name: ${what}`,
  ],
  '42P07': [/^relation "(.*)" already exists$/, (what) => `index ${what} already exists`],
  '42P01': [/^relation "(.*)" does not exist$/, (what) => `no such table: main.${what}`],
}

/** Why a view's query or an index is refused, in SQLite's words if known. */
export function sqliteErrorText(error: Error): string {
  if (!isSqlError(error)) return error.message
  const [form, say] = SQLITE[error.code] ?? []
  const found = form?.exec(error.message)
  return found ? `SQL logic error: ${say!(...found.slice(1))} (1)` : error.message
}
