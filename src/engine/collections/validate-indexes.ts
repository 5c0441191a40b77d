import { makeFieldError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Problem } from '../fields/value-checks.ts'
import type { Collection } from './collection.ts'
import {
  findUniqueIndex,
  type IndexExpression,
  isValidIndex,
  parseIndex,
  writeIndex,
} from './index-definition.ts'
import { toIndexName, toTableName } from './sql-names.ts'

const REQUIRED_UNIQUE = ['tokenKey', 'email']

const writeUnnamedIndex = (index: IndexExpression) =>
  writeIndex({ ...index, schema: '', name: 'i', table: 't' })
/** The text of an index without names, collations, orders and condition, to compare unique columns. */
const writeConstraint = (index: IndexExpression) =>
  writeUnnamedIndex({
    ...index,
    where: '',
    columns: index.columns.map((column) => ({ ...column, collate: '', sort: '' })),
  })

function findRepeatedIndex(indexes: readonly IndexExpression[]): Problem {
  const names = new Set<string>()
  const definitions = new Set<string>()
  for (const [i, index] of indexes.entries()) {
    if (!isValidIndex(index))
      return {
        [i]: makeFieldError(
          'validation_invalid_index_expression',
          'Invalid CREATE INDEX expression.',
        ),
      }
    if (names.has(index.name.toLowerCase()))
      return {
        [i]: makeFieldError('validation_duplicated_index_name', 'The index name already exists.'),
      }
    if (definitions.has(writeUnnamedIndex(index))) {
      return {
        [i]: makeFieldError(
          'validation_duplicated_index_definition',
          'The index definition already exists.',
        ),
      }
    }
    names.add(index.name.toLowerCase())
    definitions.add(writeUnnamedIndex(index))
  }
}

async function findTakenName(
  db: Db,
  indexes: readonly IndexExpression[],
  own: readonly Collection[],
) {
  const names = indexes.map(({ name }) => toIndexName(name).toLowerCase())
  const { rows } = await db.query(
    `select lower(indexname), tablename from pg_indexes
     where schemaname = current_schema() and lower(indexname) = any($1::text[]) and tablename <> all($2::text[])`,
    [names, own.map(toTableName)],
  )
  const taken = new Map(rows.map(([name, table]) => [String(name), String(table)]))
  const place = names.findIndex((name) => taken.has(name))
  if (place < 0) return undefined
  const usedTableName = taken.get(names[place]!)!
  const text = `The index name is already used in ${usedTableName} collection.`
  return { [place]: makeFieldError('validation_existing_index_name', text, { usedTableName }) }
}

function findLostSystemIndex(
  indexes: readonly IndexExpression[],
  old: Collection | undefined,
): Problem {
  const system = new Set(
    old?.fields.filter(({ system }) => system).map(({ name }) => name.toLowerCase()),
  )
  const present = new Set(indexes.map(writeConstraint))
  for (const index of (old?.indexes ?? []).map(parseIndex)) {
    const column = index.columns.find(({ name }) => system.has(name.toLowerCase()))
    if (!index.unique || !column || present.has(writeConstraint(index))) continue
    const fieldName = old!.fields.find(
      ({ name }) => name.toLowerCase() === column.name.toLowerCase(),
    )!.name
    const text = `Unique index definition on system fields (${fieldName}) is invalid or missing.`
    return makeFieldError('validation_invalid_unique_system_field_index', text, { fieldName })
  }
}

function findMissingIndex({ type, indexes }: Collection): Problem {
  if (type !== 'auth') return undefined
  const fieldName = REQUIRED_UNIQUE.find((name) => !findUniqueIndex(indexes, name))
  if (!fieldName) return undefined
  const text = `Missing required unique index for field "${fieldName}".`
  return makeFieldError('validation_missing_required_unique_index', text, { fieldName })
}

/** Problems of indexes that can be found before creating them. PocketBase: core/collection_validate.go */
export async function validateIndexes(db: Db, collection: Collection, old: Collection | undefined) {
  if (collection.type === 'view' && collection.indexes.length > 0)
    return makeFieldError(
      'validation_indexes_not_supported',
      "View collections don't support indexes.",
    )
  const indexes = collection.indexes.map((sql) => ({
    ...parseIndex(sql),
    table: collection.name || 'new',
  }))
  return (
    findRepeatedIndex(indexes) ??
    (await findTakenName(db, indexes, old ? [collection, old] : [collection])) ??
    findLostSystemIndex(indexes, old) ??
    findMissingIndex(collection)
  )
}
