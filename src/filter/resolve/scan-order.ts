import type { Collection } from '../../collections/collection.ts'
import { columnName, quote } from '../../collections/names.ts'
import {
  type IndexColumn,
  type IndexExpression,
  parseIndex,
} from '../../collections/sqlite/index-expression.ts'
import { isMulti, type RelationField } from '../../fields/field.ts'
import { sortKeys } from '../compare/sort-keys.ts'
import { type JoinedRow, joinSql, type Sql, sql } from '../sql/sql.ts'
import { column, storageOf, type TableRow } from './row.ts'

const quoted = (name: string) => quote(columnName(name))

/** The columns of a row that pieces of SQL read, as they are quoted. */
export function columnsRead(part: Sql, row: JoinedRow): Set<string> {
  const after = part.filter((_, i) => part[i - 1] === row)
  return new Set(after.flatMap((one) => (typeof one === 'string' && /^\.("[^"]+")/.exec(one)?.[1]) || []))
}

/**
 * The order in which SQLite meets the records whose `field` names a row, if the statement reads these columns
 * of them: that of the index by which it finds them, or of one that it makes of what is read, then that of
 * insertion. It shows in a sort, which takes the first one's key. Found out by asking PocketBase with some 20
 * sets of indexes.
 */
export function scanOrder(row: TableRow, field: RelationField, read: ReadonlySet<string>): Sql {
  const end = row.collection.type === 'view' ? [] : [[row.at ?? 'b', '._rowid']]
  return joinSql([...indexOrder(row, field, read), ...end], ', ')
}

function indexOrder(row: TableRow, field: RelationField, read: ReadonlySet<string>): Sql[] {
  if (isMulti(field)) return []
  const index = indexFor(row.collection, field, read)
  if (!index) return madeIndex(row, field, read)
  const keys = index.columns.slice(1).map((one) => indexKey(row, one))
  const end = keys.indexOf(undefined)
  return keys.slice(0, end < 0 ? keys.length : end) as Sql[]
}

function madeIndex(row: TableRow, field: RelationField, read: ReadonlySet<string>): Sql[] {
  const nulls = row.collection.type === 'view' ? ' NULLS FIRST' : ''
  return row.collection.fields
    .filter(({ name }) => name !== field.name && read.has(quoted(name)))
    .flatMap((one) => sortKeys(storageOf(one), column(row, one)))
    .map((key) => [...key, nulls])
}

/**
 * Of the indexes that begin with the field one that has all that is read, or the newest. A partial one is
 * none.
 */
function indexFor(
  collection: Collection,
  field: RelationField,
  read: ReadonlySet<string>,
): IndexExpression | undefined {
  const newestFirst = collection.indexes
    .map(parseIndex)
    .filter(({ where, columns: [first] }) => where === '' && first?.name === field.name && !first.collate)
    .reverse()
  const hasAll = ({ columns }: IndexExpression) => {
    const names = new Set(columns.map(({ name }) => quoted(name)))
    return [...read].every((one) => names.has(one))
  }
  return newestFirst.find(hasAll) ?? newestFirst[0]
}

/** Undefined for an expression. */
function indexKey(row: TableRow, { name, collate, sort }: IndexColumn): Sql | undefined {
  const field = row.collection.fields.find((one) => one.name === name)
  if (!field) return undefined
  const [key] = sortKeys(storageOf(field), column(row, field))
  const folds = collate.toLowerCase() === 'nocase' && storageOf(field) === 'text'
  return key && [...(folds ? sql`lower(${key} COLLATE "C")` : key), sort && ` ${sort}`]
}
