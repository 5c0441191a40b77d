import { isSqlError } from '../../../platform/db/database-errors.ts'
import type { CatalogDraft } from '../catalog.ts'
import type { Collection } from '../collection.ts'

/** An error with SQLite's message, which PocketBase's clients expect. */
export class SqliteFault extends Error {
  override name = 'SqliteFault'

  constructor(reason: string, kind = 'SQL logic error', code = 1) {
    super(`${kind}: ${reason} (${code})`)
  }
}

/** Throws a SqliteFault for a table, view or index name that SQLite reserves. */
export function checkNameAllowed(name: string): void {
  if (/^sqlite_/i.test(name))
    throw new SqliteFault(`object name reserved for internal use: ${name}`)
}

function requireOwnName({ catalog }: CatalogDraft, { id, name }: Collection, isNew: boolean): void {
  const isOther = (one: Collection) =>
    one.id !== id && one.name.toLowerCase() === name.toLowerCase()
  const others = catalog.all.filter(isOther)
  if (others.length === 0) return
  // in SQLite, `A` and `a` are two values of the unique `_collections.name`, but one table name
  const isListed = others.some((one) => one.name === name)
  if (isNew && !isListed) throw new SqliteFault(`table \`${name}\` already exists`)
  throw new SqliteFault('UNIQUE constraint failed: _collections.name', 'constraint failed', 2067)
}

function requireOwnColumns({ fields }: Collection): void {
  const seen = new Map<string, string>()
  for (const name of fields.map((field) => field.name).sort()) {
    const other = seen.get(name.toLowerCase())
    if (other !== undefined && other !== name)
      throw new SqliteFault(`duplicate column name: ${name}`)
    seen.set(name.toLowerCase(), name)
  }
}

/** Refuses names that SQLite would refuse: reserved or taken ones, or columns that differ only in case. */
export function checkSqliteNames(
  draft: CatalogDraft,
  next: Collection,
  old: Collection | undefined,
): void {
  if (old?.name !== next.name) {
    checkNameAllowed(next.name)
    requireOwnName(draft, next, !old)
  }
  if (!old && next.type !== 'view') requireOwnColumns(next)
}

/** By SQLSTATE: a pattern of Postgres' message and a function that turns its groups into SQLite's message. */
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

/** Why the query of a view or an index is refused, in SQLite's words if known. */
export function explainSqliteError(error: Error): string {
  if (!isSqlError(error)) return error.message
  const [form, say] = SQLITE[error.code] ?? []
  const found = form?.exec(error.message)
  return found ? `SQL logic error: ${say!(...found.slice(1))} (1)` : error.message
}
