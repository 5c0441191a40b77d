import type { Collection } from '../collections/collection.ts'
import { findUniqueIndex } from '../collections/index-definition.ts'
import { splitBackRelation } from '../collections/sql-names.ts'
import { type Field, isMulti, type RelationField } from '../fields/field.ts'
import { isStoredAsJson } from '../fields/field-types.ts'
import { makeFieldOperand, makeJsonOperand, splitModifier } from './field-operand.ts'
import type { Context, FilterRow } from './filter-row.ts'
import { joinBack, joinRelation } from './join.ts'
import { makeKeyword, type Operand } from './operand.ts'
import { FilterError } from './parse-filter.ts'

/** Maximum relations in a path. PocketBase: maxNestedRels in core/record_field_resolver_runner.go */
const MAX_RELATIONS = 6

interface Start {
  readonly row: FilterRow
  readonly all: boolean
  readonly lenient: boolean
}

/** Resolves a path like `device.user.name`: joins rows on its way, returns the last field. Contract 2.1. */
export function resolvePath(context: Context, path: readonly string[], start: Start): Operand {
  try {
    return walkPath(context, path, start)
  } catch (error) {
    if (start.lenient && error instanceof Missing) return makeKeyword(null)
    throw error
  }
}

class Missing extends FilterError {}

function walkPath(context: Context, path: readonly string[], start: Start): Operand {
  let { row, all } = start
  for (const [i, name] of path.entries()) {
    if (i === path.length - 1) return makeLastOperand(context, row, name, all)
    const field = findFilterableField(context, row, name)
    if (field && isStoredAsJson(field)) return makeJsonOperand(row, field, path.slice(i + 1), all)
    if (i >= MAX_RELATIONS)
      throw new FilterError(`max nested relations reached for field "${name}"`)
    if (!field) {
      const [collection, back] = findBackRelation(context, row, name)
      row = recordReachedRow(context, collection, joinBack(context, row, collection, back))
      all ||= isMulti(back) || !findUniqueIndex(collection.indexes, back.name)
      continue
    }
    if (field.type !== 'relation') throw new FilterError(`field "${name}" is not a valid relation`)
    // `relation.id` is read from the relation's own column, which also works if the record is deleted
    if (!isMulti(field) && i === path.length - 2 && path[i + 1] === 'id')
      return makeLastOperand(context, row, name, all)
    const target = context.catalog.find(field.collectionId)
    if (!target) throw new FilterError(`failed to load field "${name}" collection`)
    row = recordReachedRow(context, target, joinRelation(context, row, field, target))
    all ||= isMulti(field)
  }
  throw new FilterError(`failed to resolve field "${path.join('.')}"`)
}

function findFilterableField(
  { catalog, reached }: Context,
  row: FilterRow,
  name: string,
): Field | undefined {
  const field = catalog.field(row.collection, name)
  if (field?.hidden && reached) throw new FilterError(`non-filterable field "${name}"`)
  return field
}

function makeLastOperand(context: Context, row: FilterRow, name: string, all: boolean): Operand {
  const [fieldName, modifier] = splitModifier(name)
  const field = findFilterableField(context, row, fieldName)
  if (!field) throw new Missing(`unknown field "${fieldName}"`)
  return makeFieldOperand(context, row, field, modifier, all)
}

function findBackRelation(
  { catalog, reached }: Context,
  row: FilterRow,
  name: string,
): [Collection, RelationField] {
  const [collectionName, fieldName] = splitBackRelation(name) ?? ['', '']
  if (!collectionName) throw new Missing(`failed to resolve field "${name}"`)
  const collection = catalog.find(collectionName)
  if (!collection) throw new Missing(`failed to load back relation field "${name}" collection`)
  const field = catalog.field(collection, fieldName)
  if (!field) throw new Missing(`missing back relation field "${fieldName}"`)
  if (field.type !== 'relation') throw new Missing(`invalid back relation field "${fieldName}"`)
  if (field.hidden && reached)
    throw new FilterError(`non-filterable back relation field "${fieldName}"`)
  if (field.collectionId !== row.collection.id || row.known === 'candidate')
    throw new Missing(`invalid collection reference of a back relation field "${fieldName}"`)
  return [collection, field]
}

/** Notes that a client's path reaches a row of `collection`. Throws FilterError if the listRule is null. */
export function recordReachedRow(
  { reached }: Context,
  collection: Collection,
  row: FilterRow,
): FilterRow {
  if (!reached) return row
  if (collection.listRule === null) {
    throw new FilterError(
      `"${collection.name}" fields can be accessed only when allowHiddenFields is enabled or by superusers`,
    )
  }
  if (row.at) reached.set(row.at, collection)
  return row
}
