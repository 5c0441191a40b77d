import { badRequest } from '../../platform/errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { type AnswerMeter, MAX_EXPANDED } from '../request/answer-limit.ts'
import { meterOf, type RequestInfo } from '../request/request.ts'
import type { ExpandTree } from './expand-tree.ts'
import { findRelation, idsIn, MAX_BACK, orderSql, type Relation, relatedSql } from './expanded-relation.ts'
import { selectRows } from './read-rows.ts'
import { columnsOf, type RecordRow } from './record-row.ts'
import type { RenderedRecord } from './render.ts'
import { rowSizeOf } from './row-size.ts'
import { isRuleFault } from './rule-faults.ts'
import { prepareRows } from './visibility.ts'

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
  const meter = meterOf(request)
  const inside: RequestInfo = { ...request, context: 'expand', meter }
  await followAll({ store, request: inside, meter }, records, tree, 1)
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

async function followAll(
  expansion: Expansion,
  records: readonly RenderedRecord[],
  tree: ExpandTree,
  depth: number,
): Promise<boolean> {
  if (records.length === 0 || tree.size === 0 || depth > MAX_DEPTH) return true
  const followed = await Promise.all(
    [...tree].map(([name, rest]) => follow(expansion, records, name, rest, depth)),
  )
  return followed.includes(true)
}

async function follow(
  expansion: Expansion,
  records: readonly RenderedRecord[],
  name: string,
  rest: ExpandTree,
  depth: number,
): Promise<boolean> {
  const { collection } = records[0]!
  const relation = findRelation(expansion.store.catalog, collection, name)
  const related = relation && (await fetchRelated(expansion, collection, relation, records))
  if (!related || !(await followAll(expansion, related, rest, depth + 1))) return false
  const find = relation.back ? byHolder(relation, related) : byId(collection, relation, related)
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

async function fetchRelated(
  { store, request, meter }: Expansion,
  from: Collection,
  relation: Relation,
  records: readonly RenderedRecord[],
): Promise<readonly RenderedRecord[] | undefined> {
  const { target } = relation
  const rule = request.auth?.isSuperuser ? '' : target.viewRule
  if (rule === null) return undefined
  const ids = new Set(records.flatMap(({ row }) => namedIds(from, relation, row)))
  if (ids.size === 0) return []
  const where = (position: number, row: string) => relatedSql(relation, position, row)
  const orderBy = relation.back ? orderSql(target, 'b') : ''
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
    return await prepareRows(store, target, rows, request)
  } catch (error) {
    if (isRuleFault(error)) return undefined
    throw error
  }
}

const namedIds = (from: Collection, { field, back }: Relation, row: RecordRow): readonly string[] =>
  back ? [row[columnsOf(from).id] as string] : idsIn(from, field, row)

type Find = (record: RenderedRecord) => readonly RenderedRecord[]

function byId(from: Collection, { target, field }: Relation, related: readonly RenderedRecord[]): Find {
  const { id } = columnsOf(target)
  const index = new Map(related.map((rendered) => [rendered.row[id], rendered]))
  return ({ row }) => idsIn(from, field, row).flatMap((name) => index.get(name) ?? [])
}

function byHolder({ target, field }: Relation, related: readonly RenderedRecord[]): Find {
  const pairs = related.flatMap((one) => idsIn(target, field, one.row).map((id) => ({ id, one })))
  const index = Map.groupBy(pairs, ({ id }) => id)
  return ({ collection, row }) =>
    index.get(row[columnsOf(collection).id] as string)?.map(({ one }) => one) ?? []
}
