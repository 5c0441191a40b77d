import { makeRandomId } from '../../../platform/tools/random.ts'
import type { Field } from '../../fields/field.ts'
import type { Catalog } from '../catalog.ts'
import type { Collection, ViewCollection } from '../collection.ts'
import { readField } from '../definition/read-field.ts'
import { type Identifier, type ParsedQuery, parseQuery } from './parse-select.ts'
import { ViewQueryError } from './view-query-error.ts'

const CAST = /^cast\s*\(.*\s+as\s+(\w+)\s*\)$/is

export interface ViewField {
  readonly field: Field
  readonly plain: boolean
}

const makeViewId = () =>
  readField({
    name: 'id',
    type: 'text',
    system: true,
    required: true,
    primaryKey: true,
    pattern: '^[a-z0-9]+$',
  })
const makeJsonField = (name: string) => readField({ name, type: 'json', maxSize: 1 })

const CASTS: Record<string, object> = {
  real: { type: 'number' },
  decimal: { type: 'number' },
  numeric: { type: 'number' },
  int: { type: 'number', onlyInt: true },
  integer: { type: 'number', onlyInt: true },
  text: { type: 'text' },
  boolean: { type: 'bool' },
  bool: { type: 'bool' },
}

function guessFieldType(expression: string): object | undefined {
  const lower = expression.toLowerCase()
  if (lower.startsWith('count(')) return { type: 'number', onlyInt: true }
  if (lower.startsWith('total(')) return { type: 'number' }
  return CASTS[CAST.exec(lower)?.[1] ?? '']
}

/** A copy of a field with another name and id, because a view may contain a field twice. */
const cloneField = (field: Field, name: string): Field => ({
  ...field,
  name,
  id: `_clone_${makeRandomId(4)}`,
})

function readColumn(
  column: Identifier,
  query: ParsedQuery,
  sources: ReadonlyMap<string, Collection>,
) {
  const parts = column.original.split('.')
  const qualified = parts.length === 2
  const main = query.tables[0]?.alias ?? ''
  const table = qualified ? parts[0]! : main
  const name = (qualified ? parts[1]! : parts[0]!).toLowerCase()
  const source = sources.get(table)
  const field = source?.fields.find((one) => one.name.toLowerCase() === name)
  return { name, source, field }
}

function makeViewField(
  column: Identifier,
  query: ParsedQuery,
  sources: ReadonlyMap<string, Collection>,
) {
  const { name, source, field } = readColumn(column, query, sources)
  const plain = field !== undefined && !query.outer && source?.type !== 'view'
  if (column.alias === 'id') return { field: makeViewId(), plain: plain && field.type === 'text' }
  const said = guessFieldType(column.original)
  if (said) return { field: readField({ name: column.alias, ...said }), plain: false }
  if (!source || !field) return { field: makeJsonField(column.alias), plain: false }
  if (name !== 'id') return { field: cloneField(field, column.alias), plain }
  return {
    field: readField({
      name: column.alias,
      type: 'relation',
      maxSelect: 1,
      collectionId: source.id,
    }),
    plain,
  }
}

function findSourceCollections({ tables }: ParsedQuery, catalog: Catalog): Map<string, Collection> {
  const sources = new Map<string, Collection>()
  for (const { original, alias } of tables) {
    const collection = catalog.all.find((one) => one.name === original)
    if (collection && !alias.includes('(')) sources.set(alias, collection)
  }
  return sources
}

/** The fields of a view's query, named by its aliases. Unknown columns are json. PocketBase: core/view.go */
export function suggestFields(query: string, catalog: Catalog): ViewField[] {
  const parsed = parseQuery(query)
  const sources = findSourceCollections(parsed, catalog)
  return parsed.columns.map((column) => {
    if (column.alias === '*') {
      throw new ViewQueryError(
        'wildcard columns (*) are not supported - manually type the collection field names you want the view query to have',
      )
    }
    return makeViewField(column, parsed, sources)
  })
}

const MAX_VIEWS = 5

/** The stored field behind a view's field; undefined if computed. PocketBase: FindRecordByViewFile */
export function findFieldSource(
  view: ViewCollection,
  name: string,
  catalog: Catalog,
  depth = 1,
): { readonly collection: Collection; readonly field: Field } | undefined {
  const parsed = parseQuery(view.viewQuery)
  const column = parsed.columns.find(({ alias }) => alias === name)
  if (!column || depth > MAX_VIEWS) return undefined
  const { source: collection, field } = readColumn(
    column,
    parsed,
    findSourceCollections(parsed, catalog),
  )
  if (!collection || !field) return undefined
  return collection.type === 'view'
    ? findFieldSource(collection, field.name, catalog, depth + 1)
    : { collection, field }
}

/** The field of a column whose alias was not found in the query's text. */
export const makeUnknownField = (name: string): ViewField => ({
  field: name === 'id' ? makeViewId() : makeJsonField(name),
  plain: false,
})

/** Columns of a view that are counts or totals. In SQLite they have no type, so they never equal a text. */
export const listCountedColumns = (query: string): Set<string> => {
  const { columns } = parseQuery(query)
  return new Set(
    columns.filter(({ original }) => /^(count|total)\(/i.test(original)).map(({ alias }) => alias),
  )
}
