import type { Catalog, Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { quote, tableName } from '../../collections/names.ts'
import { isSqlError, isTooSlow } from '../../db/errors.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import { Parameters } from '../../records/parameters.ts'
import { statementName } from '../../records/read-rows.ts'
import type { Change } from '../changes/change.ts'
import { BatchedParameters } from './batched-parameters.ts'

/**
 * Evaluates questions of one text about one changed record in one statement: the record is as the change left
 * it, others are as they are now. An error in the data is a no; a statement that takes too long throws.
 */
export async function matchQueries(
  store: Store,
  change: Change,
  questions: readonly CompiledFilter[],
): Promise<readonly boolean[]> {
  const { text, params } = statement(store.catalog, change, questions)
  const name = questions[0]!.free ? undefined : statementName(store.catalog, text)
  try {
    const { rows } = await store.db.shaped(text, params, name)
    const yes = new Set(rows.map(([number]) => Number(number)))
    return questions.map((_, i) => yes.has(i + 1))
  } catch (error) {
    if (isSqlError(error) && !isTooSlow(error)) return questions.map(() => false)
    throw error
  }
}

function statement(catalog: Catalog, change: Change, questions: readonly CompiledFilter[]) {
  const { from, where, tables: read } = questions[0]!.structure
  const parameters = new Parameters()
  const tables = tablesFor(catalog, change, read, parameters).join(',\n')
  const batch = new BatchedParameters(questions, parameters)
  const source = batch.write(from)
  const condition = `b."id" = ${parameters.add(change.record)} and (${batch.write(where) || 'true'})`
  // the record and its joins are read once for all questions, unless the joins have parameters of a question
  const asked = batch.differIn(from)
    ? `${batch.table()} where exists (select 1 from ${source} where ${condition})`
    : `${source} cross join ${batch.table()} where ${condition}`
  return { text: `with ${tables} select s.n from ${asked}`, params: parameters.values }
}

/**
 * Common table expressions in place of the tables that a question reads. They have the record as the change
 * left it; for a deleted one also everything that was deleted in the same transaction, such as its parent.
 */
function tablesFor(
  catalog: Catalog,
  change: Change,
  read: readonly string[],
  parameters: Parameters,
): string[] {
  const { collection, record, judged } = change
  const table = quote(tableName(collection))
  const itself = images(table, `c.position = ${parameters.add(judged, 'bigint')}`)
  const rest = `select * from ${table} where "id" <> ${parameters.add(record)}`
  const own = `${table} as not materialized (${itself} union all ${rest})`
  if (change.action !== 'delete') return [own]
  const others = catalog.all.filter(
    (other) => other.type !== 'view' && other.id !== collection.id && read.includes(tableName(other)),
  )
  return [own, ...others.map((other) => withDeleted(other, change.xid, parameters))]
}

function withDeleted(collection: Collection, xid: number, parameters: Parameters): string {
  const table = quote(tableName(collection))
  const sameTransaction = `c.xid = ${parameters.add(String(xid))}::xid8`
  const gone = `${sameTransaction} and c.collection = ${parameters.add(collection.id)} and c.action = 'delete'`
  return `${table} as not materialized (select * from ${table} union all ${images(table, gone)})`
}

const images = (table: string, where: string) =>
  `select r.* from _changes c cross join lateral json_populate_record(null::${table}, c.image) r where ${where}`
