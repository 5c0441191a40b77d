import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { columnName, quote, splitBackRelation } from '../../collections/names.ts'
import { uniqueIndexOf } from '../../collections/sqlite/index-expression.ts'
import { isMulti, type RelationField } from '../../fields/field.ts'
import { columnsOf, type RecordRow } from '../columns.ts'

/** A step of an expand path. */
export interface Relation {
  readonly target: Collection
  /** The field with the ids. It belongs to the first collection or, with `back`, to the target. */
  readonly field: RelationField
  readonly back: boolean
  /** Expanded as a list instead of one record. */
  readonly many: boolean
}

/** `contacts(groups)`: the old form of `contacts_via_groups`. */
const BACK_LEGACY = /^(\w+)\((\w+)\)$/

/** Maximum referring records per record. */
export const MAX_BACK = 1000

/** The relation of a step; undefined if there is none. PocketBase: core/record_query_expand.go */
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

/** Non-empty ids at one end of a relation, of the related records or of the records referred to. */
export function idsIn(holder: Collection, field: RelationField, row: RecordRow): readonly string[] {
  const value = row[columnsOf(holder).at.get(field.name)!]
  if (Array.isArray(value)) return [...new Set(value)].filter((id) => id !== '')
  return typeof value === 'string' && value !== '' ? [value] : []
}

/** SQL: the ids in parameter `$position` name row `row` (direct), or that row refers to them (back). */
export function relatedSql({ target, field, back }: Relation, position: number, row: string): string {
  if (!back) return `${row}."id" = ANY($${position}::text[])`
  const column = `c.${quote(columnName(field.name))}`
  const points = isMulti(field) ? `${column} @> ARRAY[p.id]` : `${column} = p.id`
  return `${row}."id" IN (SELECT k.id FROM unnest($${position}::text[]) p(id) CROSS JOIN LATERAL (
    SELECT c."id" FROM ${columnsOf(target).table} c WHERE ${points} ORDER BY ${orderSql(target, 'c')} LIMIT ${MAX_BACK}) k)`
}

/** Order of insertion; views have none and are ordered by id. */
export const orderSql = (collection: Collection, alias: string) =>
  collection.type === 'view' ? `${alias}."id"` : `${alias}._rowid`
