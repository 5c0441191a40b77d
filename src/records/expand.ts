import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { changeRequest } from '../filter/late-request.ts'
import type { RequestInfo } from '../filter/request.ts'
import { columnsOf, type Row } from './columns.ts'
import type { ExpandTree } from './expand-paths.ts'
import { findRelation, idsIn, orderSql, type Relation, relatedSql } from './relation.ts'
import { selectRows } from './select.ts'
import { type Shown, showRows } from './shown.ts'
import { isRuleFault } from './sight.ts'

const MAX_DEPTH = 6
/** So many records are read as fast as one is. */
const FEW = 50

/**
 * Fills `expand` of records of one collection along the paths of a tree: one query a step, under the viewRule of the
 * collection it leads to, with the context `expand`. A path is silently left out, as a whole, where a step of it
 * names no relation or a collection that the requester may not view.
 * PocketBase: core/record_query_expand.go, contract 3.4
 */
export async function expandRecords(
  store: Store,
  records: readonly Shown[],
  tree: ExpandTree,
  request: RequestInfo,
): Promise<void> {
  await followAll({ store, request: changeRequest(request, { context: 'expand' }) }, records, tree, 1)
}

interface Expansion {
  readonly store: Store
  readonly request: RequestInfo
}

/** False when no path of the tree leads anywhere; then nothing was filled in. */
async function followAll(
  expansion: Expansion,
  records: readonly Shown[],
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
  records: readonly Shown[],
  name: string,
  rest: ExpandTree,
  depth: number,
): Promise<boolean> {
  const { collection } = records[0]!
  const relation = findRelation(expansion.store.catalog, collection, name)
  const related = relation && (await fetchRelated(expansion, collection, relation, records))
  if (!related || !(await followAll(expansion, related, rest, depth + 1))) return false
  const find = relation.back ? byHolder(relation, related) : byId(collection, relation, related)
  for (const record of records) {
    record.expand ??= new Map()
    const found = find(record)
    if (found.length > 0) record.expand.set(name, relation.many ? found : found[0]!)
  }
  return true
}

/** Undefined when the requester may see no record of the target, or its rule fails. */
async function fetchRelated(
  { store, request }: Expansion,
  from: Collection,
  relation: Relation,
  records: readonly Shown[],
): Promise<readonly Shown[] | undefined> {
  const { target } = relation
  const rule = request.auth?.isSuperuser ? '' : target.viewRule
  if (rule === null) return undefined
  const ids = new Set(records.flatMap(({ row }) => namedIds(from, relation, row)))
  if (ids.size === 0) return []
  const where = (position: number, row: string) => relatedSql(relation, position, row)
  const orderBy = relation.back ? orderSql(target, 'b') : ''
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
    })
    return await showRows(store, target, rows ?? [], request)
  } catch (error) {
    if (isRuleFault(error)) return undefined
    throw error
  }
}

const namedIds = (from: Collection, { field, back }: Relation, row: Row): readonly string[] =>
  back ? [row[columnsOf(from).id] as string] : idsIn(from, field, row)

type Find = (record: Shown) => readonly Shown[]

/** Related records in the order in which a record names them. */
function byId(from: Collection, { target, field }: Relation, related: readonly Shown[]): Find {
  const { id } = columnsOf(target)
  const index = new Map(related.map((shown) => [shown.row[id], shown]))
  return ({ row }) => idsIn(from, field, row).flatMap((name) => index.get(name) ?? [])
}

/** Related records by the id that they point at. */
function byHolder({ target, field }: Relation, related: readonly Shown[]): Find {
  const index = new Map<string, Shown[]>()
  for (const shown of related) {
    for (const id of idsIn(target, field, shown.row)) {
      const holders = index.get(id)
      if (holders) holders.push(shown)
      else index.set(id, [shown])
    }
  }
  return ({ collection, row }) => index.get(row[columnsOf(collection).id] as string) ?? []
}
