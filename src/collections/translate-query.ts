import type { Catalog } from './catalog.ts'
import { quote } from './names.ts'
import { sqlTokens, unquoted } from './sql-tokens.ts'

/** Plain names for SQLite, keywords for Postgres, which would read a value of its own or nothing at all. */
const POSTGRES_WORDS = new Set([
  ...[
    'analyse',
    'any',
    'array',
    'asymmetric',
    'both',
    'current_catalog',
    'current_role',
    'current_user',
    'do',
  ],
  ...['end', 'grant', 'lateral', 'leading', 'localtime', 'localtimestamp', 'only', 'overlaps', 'placing'],
  ...['session_user', 'similar', 'some', 'symmetric', 'trailing', 'user', 'variadic', 'verbose'],
])

/**
 * A view's query with its names as Postgres reads them: other quotes become double ones, and bare names of
 * collections and fields are quoted where Postgres would fold their case or read a keyword, `ifnull` gets its other
 * name. The rest of the query must be Postgres' SQL already.
 */
export function translateQuery(sql: string, catalog: Catalog): string {
  const names = new Set(
    catalog.all.flatMap(({ name, fields }) => [name, ...fields.map((field) => field.name)]),
  )
  const needsQuotes = (word: string) => names.has(word) && (/[A-Z]/.test(word) || POSTGRES_WORDS.has(word))
  return sqlTokens(sql)
    .map(({ kind, text }) => {
      if (kind === 'word')
        return needsQuotes(text) ? quote(text) : text.toLowerCase() === 'ifnull' ? 'coalesce' : text
      if (kind !== 'name') return text
      return unquoted(text) === '' ? "''" : quote(unquoted(text))
    })
    .join('')
}
