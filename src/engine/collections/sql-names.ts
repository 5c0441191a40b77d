import { createHash } from 'node:crypto'
import { NO_COLLECTIONS } from '../../platform/db/tables.ts'

/** Maximum bytes of an identifier. Postgres silently cuts longer ones, so two could become equal. */
const MAX_BYTES = 63

const HASH_LENGTH = 8

/** Columns that every table already has: Postgres' system columns and `_rowid`. */
const TAKEN_COLUMNS = new Set(['_rowid', 'tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

function shortenWithHash(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)
  return `${name.slice(0, MAX_BYTES - HASH_LENGTH - 1)}_${hash}`
}

const fitsNameLimit = (name: string) => Buffer.byteLength(name) <= MAX_BYTES

/** The table or view of a collection: its name, changed by a hash if that is reserved or too long. */
export function toTableName(collection: {
  readonly name: string
  readonly isInternal?: true
}): string {
  const { name } = collection
  if (collection.isInternal) return name
  if (/^pg_/i.test(name) || isInternalName(name)) return shortenWithHash(`_${name}`)
  return toIndexName(name)
}

/** The column of a field: its name, changed by a hash if that is reserved or too long. */
export function toColumnName(field: string): string {
  return fitsNameLimit(field) && !TAKEN_COLUMNS.has(field) ? field : shortenWithHash(field)
}

export const toIndexName = (name: string): string =>
  fitsNameLimit(name) ? name : shortenWithHash(name)

export const quoteName = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

const VIA = '_via_'

/** Splits `contacts_via_user` at the last `_via_` into `contacts` and `user`; undefined for other names. */
export function splitBackRelation(name: string): [collection: string, field: string] | undefined {
  const at = name.lastIndexOf(VIA, name.length - VIA.length - 1)
  if (at < 1 || !/^\w+$/.test(name)) return undefined
  return [name.slice(0, at), name.slice(at + VIA.length)]
}

/** Whether an internal table has this name. The table of a collection then needs another name. */
const isInternalName = (name: string): boolean => NO_COLLECTIONS.has(name.toLowerCase())
