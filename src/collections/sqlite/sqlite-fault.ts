import type { CatalogDraft, Collection } from '../catalog.ts'

/** An error with SQLite's message, which PocketBase's clients know. */
export class SqliteFault extends Error {
  override name = 'SqliteFault'

  constructor(reason: string, kind = 'SQL logic error', code = 1) {
    super(`${kind}: ${reason} (${code})`)
  }
}

/** Throws a SqliteFault for a table, view or index name that SQLite reserves. */
export function checkNameAllowed(name: string): void {
  if (/^sqlite_/i.test(name)) throw new SqliteFault(`object name reserved for internal use: ${name}`)
}

function demandOwnName({ catalog }: CatalogDraft, { id, name }: Collection, isNew: boolean): void {
  const isOther = (one: Collection) => one.id !== id && one.name.toLowerCase() === name.toLowerCase()
  const others = catalog.all.filter(isOther)
  if (others.length === 0) return
  // Collections' names are case-sensitive, tables' are not.
  const isListed = others.some((one) => one.name === name)
  if (isNew && !isListed) throw new SqliteFault(`table \`${name}\` already exists`)
  throw new SqliteFault('UNIQUE constraint failed: _collections.name', 'constraint failed', 2067)
}

function demandOwnColumns({ fields }: Collection): void {
  const seen = new Map<string, string>()
  for (const name of fields.map((field) => field.name).sort()) {
    const other = seen.get(name.toLowerCase())
    if (other !== undefined && other !== name) throw new SqliteFault(`duplicate column name: ${name}`)
    seen.set(name.toLowerCase(), name)
  }
}

/** Throws a SqliteFault for more columns than SQLite allows. An import tests this first. */
export function checkColumnLimit(draft: CatalogDraft, next: Collection, old: Collection | undefined): void {
  if (old?.name !== next.name) {
    checkNameAllowed(next.name)
    demandOwnName(draft, next, !old)
  }
  if (!old && next.type !== 'view') demandOwnColumns(next)
}
