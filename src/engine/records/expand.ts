import { badRequest } from '../../platform/api-errors.ts'
import type { Catalog, Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { findUniqueIndex } from '../collections/index-definition.ts'
import { quoteName, splitBackRelation, toColumnName } from '../collections/sql-names.ts'
import { isMulti, type RelationField } from '../fields/field.ts'
import { type AnswerMeter, MAX_EXPANDED } from '../request/answer-limit.ts'
import { findAnswerMeter, type RequestInfo } from '../request/request.ts'
import { isRuleFault } from './check-rules.ts'
import { addVisibility } from './field-visibility.ts'
import { selectRows } from './read-records.ts'
import { columnsOf, type RecordRow } from './record-row.ts'
import type { RenderedRecord } from './render.ts'
import { rowSizeOf } from './row-size.ts'

interface Relation {
  readonly target: Collection
  /** The field with the ids. It is in the expanding collection or, for a back relation, in `target`. */
  readonly field: RelationField
  readonly back: boolean
  readonly many: boolean
}

/** PocketBase's old syntax for `contacts_via_groups`: `contacts(groups)`. */
const BACK_LEGACY = /^(\w+)\((\w+)\)$/

const MAX_BACK = 1000

/** The relation that a name in `expand` means; undefined if none. PocketBase: core/record_query_expand.go */
function findRelation(catalog: Catalog, from: Collection, name: string): Relation | undefined {
  const back = name.includes('(') ? BACK_LEGACY.exec(name)?.slice(1) : splitBackRelation(name)
  if (back) return findBackReference(catalog, from, back[0]!, back[1]!)
  const field = catalog.field(from, name)
  if (field?.type !== 'relation') return undefined
  const target = catalog.find(field.collectionId)
  return target && { target, field, back: false, many: isMulti(field) }
}

function findBackReference(
  catalog: Catalog,
  to: Collection,
  collection: string,
  name: string,
): Relation | undefined {
  const target = catalog.find(collection)
  const field = target && catalog.field(target, name)
  if (field?.type !== 'relation' || field.collectionId !== to.id) return undefined
  return { target: target!, field, back: true, many: !findUniqueIndex(target!.indexes, name) }
}

function readRelationIds(
  holder: Collection,
  field: RelationField,
  row: RecordRow,
): readonly string[] {
  const value = row[columnsOf(holder).at.get(field.name)!]
  if (Array.isArray(value)) return [...new Set(value)].filter((id) => id !== '')
  return typeof value === 'string' && value !== '' ? [value] : []
}

/** SQL: row `row` has an id in parameter `$position` or, for a back relation, refers to such an id. */
function writeRelatedSql({ target, field, back }: Relation, position: number, row: string): string {
  if (!back) return `${row}."id" = ANY($${position}::text[])`
  const column = `c.${quoteName(toColumnName(field.name))}`
  const points = isMulti(field) ? `${column} @> ARRAY[p.id]` : `${column} = p.id`
  return `${row}."id" IN (SELECT k.id FROM unnest($${position}::text[]) p(id) CROSS JOIN LATERAL (
    SELECT c."id" FROM ${columnsOf(target).table} c WHERE ${points} ORDER BY ${writeOrderSql(target, 'c')} LIMIT ${MAX_BACK}) k)`
}

const writeOrderSql = (collection: Collection, alias: string) =>
  collection.type === 'view' ? `${alias}."id"` : `${alias}._rowid`

const MAX_DEPTH = 6
/** Maximum relations that a request may expand. Each is one statement. */
const MAX_RELATIONS = 100
/** If the rows of one relation cannot exceed this many bytes, they are read without measuring them. */
const UNGUARDED_BYTES = 64 << 10
const FEW = 50

/** Adds the records that `expand` names, one query per relation. Skips forbidden relations. Contract 3.4 */
export async function expandRecords(
  store: Store,
  records: readonly RenderedRecord[],
  tree: ExpandTree,
  request: RequestInfo,
): Promise<void> {
  if (countRelations(tree, 1) > MAX_RELATIONS)
    throw badRequest(`A request may expand ${MAX_RELATIONS} relations at most`)
  const meter = findAnswerMeter(request)
  const inside: RequestInfo = { ...request, context: 'expand', meter }
  await expandAllRelations({ store, request: inside, meter }, records, tree, 1)
  meter.addExpanded(records.reduce((sum, { expanded = 0 }) => sum + expanded, 0))
}

function countRelations(tree: ExpandTree, depth: number): number {
  if (depth > MAX_DEPTH) return 0
  return [...tree.values()].reduce((sum, rest) => sum + 1 + countRelations(rest, depth + 1), 0)
}

interface Expansion {
  readonly store: Store
  readonly request: RequestInfo
  readonly meter: AnswerMeter
}

async function expandAllRelations(
  expansion: Expansion,
  records: readonly RenderedRecord[],
  tree: ExpandTree,
  depth: number,
): Promise<boolean> {
  if (records.length === 0 || tree.size === 0 || depth > MAX_DEPTH) return true
  const followed = await Promise.all(
    [...tree].map(([name, rest]) => expandRelation(expansion, records, name, rest, depth)),
  )
  return followed.includes(true)
}

async function expandRelation(
  expansion: Expansion,
  records: readonly RenderedRecord[],
  name: string,
  rest: ExpandTree,
  depth: number,
): Promise<boolean> {
  const { collection } = records[0]!
  const relation = findRelation(expansion.store.catalog, collection, name)
  const related = relation && (await fetchRelatedRecords(expansion, collection, relation, records))
  if (!related || !(await expandAllRelations(expansion, related, rest, depth + 1))) return false
  const find = relation.back
    ? indexByHolder(relation, related)
    : indexById(collection, relation, related)
  let total = 0
  for (const record of records) {
    record.expand ??= new Map()
    const found = relation.many ? find(record) : find(record).slice(0, 1)
    if (found.length === 0) continue
    record.expand.set(name, relation.many ? found : found[0]!)
    const added = found.reduce((sum, { expanded = 0 }) => sum + 1 + expanded, 0)
    record.expanded = (record.expanded ?? 0) + added
    total += added
    expansion.meter.checkExpanded(total)
  }
  return true
}

async function fetchRelatedRecords(
  { store, request, meter }: Expansion,
  from: Collection,
  relation: Relation,
  records: readonly RenderedRecord[],
): Promise<readonly RenderedRecord[] | undefined> {
  const { target } = relation
  const rule = request.auth?.isSuperuser ? '' : target.viewRule
  if (rule === null) return undefined
  const ids = new Set(records.flatMap(({ row }) => listRelatedIds(from, relation, row)))
  if (ids.size === 0) return []
  const where = (position: number, row: string) => writeRelatedSql(relation, position, row)
  const orderBy = relation.back ? writeOrderSql(target, 'b') : ''
  const most = ids.size * (relation.back && relation.many ? MAX_BACK : 1)
  const maxBytes = Math.min(most, MAX_EXPANDED + 1) * rowSizeOf(target).max
  try {
    const rows = await selectRows(store, {
      collection: target,
      rule,
      request,
      where,
      params: [[...ids]],
      orderBy,
      isLookUp: !relation.back && ids.size <= FEW,
      isFirst: true,
      isGuarded: maxBytes > UNGUARDED_BYTES,
      ...(most > MAX_EXPANDED && { limit: MAX_EXPANDED + 1 }),
    })
    meter.checkExpanded(rows.length)
    return await addVisibility(store, target, rows, request)
  } catch (error) {
    if (isRuleFault(error)) return undefined
    throw error
  }
}

const listRelatedIds = (
  from: Collection,
  { field, back }: Relation,
  row: RecordRow,
): readonly string[] =>
  back ? [row[columnsOf(from).id] as string] : readRelationIds(from, field, row)

type Find = (record: RenderedRecord) => readonly RenderedRecord[]

function indexById(
  from: Collection,
  { target, field }: Relation,
  related: readonly RenderedRecord[],
): Find {
  const { id } = columnsOf(target)
  const index = new Map(related.map((rendered) => [rendered.row[id], rendered]))
  return ({ row }) => readRelationIds(from, field, row).flatMap((name) => index.get(name) ?? [])
}

function indexByHolder({ target, field }: Relation, related: readonly RenderedRecord[]): Find {
  const pairs = related.flatMap((one) =>
    readRelationIds(target, field, one.row).map((id) => ({ id, one })),
  )
  const index = Map.groupBy(pairs, ({ id }) => id)
  return ({ collection, row }) =>
    index.get(row[columnsOf(collection).id] as string)?.map(({ one }) => one) ?? []
}

/** Relations to expand, by name, each with the relations to expand in its records. */
export type ExpandTree = Map<string, ExpandTree>

/** Parses `expand` into a tree, without empty or repeated paths. PocketBase: core/record_query_expand.go */
export function readExpand(param: string): ExpandTree {
  const tree: ExpandTree = new Map()
  for (const part of param.split(',')) {
    const hops = part.replaceAll(' ', '').split('.')
    const [first, last] = [hops.findIndex(Boolean), hops.findLastIndex(Boolean)]
    let node = tree
    for (const hop of hops.slice(first, last + 1)) {
      const next: ExpandTree = node.get(hop) ?? new Map()
      node.set(hop, next)
      node = next
    }
  }
  return tree
}
