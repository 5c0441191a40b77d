import { createHash } from 'node:crypto'

/** Postgres cuts longer identifiers without a word, and two of them may become one. */
const MAX_BYTES = 63
const HASH_LENGTH = 8

/** Columns that every table of Postgres has, and the one that every collection's table has. */
const TAKEN_COLUMNS = new Set(['_rowid', 'tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

function withHash(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)
  return `${name.slice(0, MAX_BYTES - HASH_LENGTH - 1)}_${hash}`
}

const fits = (name: string) => Buffer.byteLength(name) <= MAX_BYTES

/**
 * Name of the table (or view) that holds a collection's records: the collection's own name, unless Postgres
 * cannot take it (over 63 bytes) or would read it as one of its own tables (`pg_…`): then with a hash, and
 * `_` before it.
 */
export function tableName(collection: { readonly name: string }): string {
  const { name } = collection
  if (/^pg_/i.test(name)) return withHash(`_${name}`)
  return fits(name) ? name : withHash(name)
}

/** Name of a field's column: the field's own name, unless it is taken or too long: then with a hash. */
export function columnName(field: string): string {
  return fits(field) && !TAKEN_COLUMNS.has(field) ? field : withHash(field)
}

/** Name of an index: as the collection has it, unless too long. */
export function indexName(name: string): string {
  return fits(name) ? name : withHash(name)
}

/** An identifier as SQL text, whatever is in it. */
export function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

const VIA = '_via_'

/**
 * `contacts` and `user` of `contacts_via_user`, the name of a back relation, cut at its last `_via_`;
 * undefined for any other name.
 */
export function splitBackRelation(name: string): [collection: string, field: string] | undefined {
  const at = name.lastIndexOf(VIA, name.length - VIA.length - 1)
  if (at < 1 || !/^\w+$/.test(name)) return undefined
  return [name.slice(0, at), name.slice(at + VIA.length)]
}
