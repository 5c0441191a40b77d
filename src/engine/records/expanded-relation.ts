import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { uniqueIndexOf } from '../collections/index-definition.ts'
import { columnName, quote, splitBackRelation } from '../collections/sql-names.ts'
import { isMulti, type RelationField } from '../fields/field.ts'
import { columnsOf, type RecordRow } from './record-row.ts'

export interface Relation {
  readonly target: Collection
  /** The field with the ids. It is in the expanding collection or, for a back relation, in `target`. */
  readonly field: RelationField
  readonly back: boolean
  readonly many: boolean
}

/** PocketBase's old syntax for `contacts_via_groups`: `contacts(groups)`. */
const BACK_LEGACY = /^(\w+)\((\w+)\)$/

export const MAX_BACK = 1000

/** The relation that a name in `expand` means; undefined if none. PocketBase: core/record_query_expand.go */
export function findRelation(catalog: Catalog, from: Collection, name: string): Relation | undefined {
  const back = name.includes('(') ? BACK_LEGACY.exec(name)?.slice(1) : splitBackRelation(name)
  if (back) return findBack(catalog, from, back[0]!, back[1]!)
  const field = catalog.field(from, name)
  if (field?.type !== 'relation') return undefined
  const target = catalog.find(field.collectionId)
  return target && { target, field, back: false, many: isMulti(field) }
}

function findBack(catalog: Catalog, to: Collection, collection: string, name: string): Relation | undefined {
  const target = catalog.find(collection)
  const field = target && catalog.field(target, name)
  if (field?.type !== 'relation' || field.collectionId !== to.id) return undefined
  return { target: target!, field, back: true, many: !uniqueIndexOf(target!.indexes, name) }
}

export function idsIn(holder: Collection, field: RelationField, row: RecordRow): readonly string[] {
  const value = row[columnsOf(holder).at.get(field.name)!]
  if (Array.isArray(value)) return [...new Set(value)].filter((id) => id !== '')
  return typeof value === 'string' && value !== '' ? [value] : []
}

/** SQL: row `row` has an id in parameter `$position` or, for a back relation, refers to such an id. */
export function relatedSql({ target, field, back }: Relation, position: number, row: string): string {
  if (!back) return `${row}."id" = ANY($${position}::text[])`
  const column = `c.${quote(columnName(field.name))}`
  const points = isMulti(field) ? `${column} @> ARRAY[p.id]` : `${column} = p.id`
  return `${row}."id" IN (SELECT k.id FROM unnest($${position}::text[]) p(id) CROSS JOIN LATERAL (
    SELECT c."id" FROM ${columnsOf(target).table} c WHERE ${points} ORDER BY ${orderSql(target, 'c')} LIMIT ${MAX_BACK}) k)`
}

export const orderSql = (collection: Collection, alias: string) =>
  collection.type === 'view' ? `${alias}."id"` : `${alias}._rowid`
