import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { columnName, quote, splitBackRelation, tableName } from '../../collections/names.ts'
import { uniqueIndexOf } from '../../collections/sqlite/index-expression.ts'
import { isMulti, type RelationField } from '../../fields/field.ts'
import { columnsOf, type RecordRow } from '../columns.ts'

/** One step of an expand path: from records of one collection to those of another. */
export interface Relation {
  readonly target: Collection
  /** The field that holds the ids: of the first collection, or (`back`) of the target. */
  readonly field: RelationField
  readonly back: boolean
  /** Expanded as a list, else as one record. */
  readonly many: boolean
}

/** `contacts(groups)`: what `contacts_via_groups` was called once. */
const BACK_LEGACY = /^(\w+)\((\w+)\)$/

/** Of one record, at most so many records that point at it are looked at. */
export const MAX_BACK = 1000

/**
 * The relation that a step of an expand path names; undefined when there is none. A back relation is one
 * record where its field is unique. PocketBase: core/record_query_expand.go
 */
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

/**
 * The records that one end of a relation names: for a direct one their ids, for a back relation the ids of
 * those that they point at. Empty ones are left out.
 */
export function idsIn(holder: Collection, field: RelationField, row: RecordRow): readonly string[] {
  const value = row[columnsOf(holder).at.get(field.name)!]
  if (Array.isArray(value)) return [...new Set(value)].filter((id) => id !== '')
  return typeof value === 'string' && value !== '' ? [value] : []
}

/**
 * SQL for: the record `row` of the target is named by the ids (direct) or points at them (back) of parameter
 * `$position`.
 */
export function relatedSql({ target, field, back }: Relation, position: number, row: string): string {
  if (!back) return `${row}."id" = ANY($${position}::text[])`
  const column = `c.${quote(columnName(field.name))}`
  const points = isMulti(field) ? `${column} @> ARRAY[p.id]` : `${column} = p.id`
  return `${row}."id" IN (SELECT k.id FROM unnest($${position}::text[]) p(id) CROSS JOIN LATERAL (
    SELECT c."id" FROM ${quote(tableName(target))} c WHERE ${points} ORDER BY ${orderSql(target, 'c')} LIMIT ${MAX_BACK}) k)`
}

/** Order of insertion; views, which have none, by id. */
export const orderSql = (collection: Collection, alias: string) =>
  collection.type === 'view' ? `${alias}."id"` : `${alias}._rowid`
