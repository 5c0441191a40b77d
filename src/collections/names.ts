import { createHash } from 'node:crypto'
import { isInternal } from './internal-tables.ts'

/** Postgres silently cuts longer identifiers, so two could become equal. */
const MAX_BYTES = 63
const HASH_LENGTH = 8

/** System columns of Postgres, and `_rowid` of every collection. */
const TAKEN_COLUMNS = new Set(['_rowid', 'tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

function withHash(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)
  return `${name.slice(0, MAX_BYTES - HASH_LENGTH - 1)}_${hash}`
}

const fits = (name: string) => Buffer.byteLength(name) <= MAX_BYTES

/** The table or view of a collection: its name, or `_` and the name with a hash if that is taken. */
export function tableName(collection: { readonly name: string; readonly isInternal?: true }): string {
  const { name } = collection
  if (collection.isInternal) return name
  if (/^pg_/i.test(name) || isInternal(name)) return withHash(`_${name}`)
  return fits(name) ? name : withHash(name)
}

/** Column of a field: its name, or with a hash if taken or too long. */
export function columnName(field: string): string {
  return fits(field) && !TAKEN_COLUMNS.has(field) ? field : withHash(field)
}

/** Name of an index, with a hash if too long. */
export function indexName(name: string): string {
  return fits(name) ? name : withHash(name)
}

/** Quotes an identifier for SQL. */
export function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

const VIA = '_via_'

/** `contacts` and `user` of `contacts_via_user`, split at the last `_via_`; undefined for other names. */
export function splitBackRelation(name: string): [collection: string, field: string] | undefined {
  const at = name.lastIndexOf(VIA, name.length - VIA.length - 1)
  if (at < 1 || !/^\w+$/.test(name)) return undefined
  return [name.slice(0, at), name.slice(at + VIA.length)]
}
