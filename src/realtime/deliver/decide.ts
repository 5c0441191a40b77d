import type { EventLoopSlices } from '../../admission/event-loop-slices.ts'
import type { Catalog, Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { tableName } from '../../collections/names.ts'
import { isSqlError, isTooSlow } from '../../db/errors.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import type { SqlText } from '../../filter/sql/sql.ts'
import { columnsOf } from '../../records/columns.ts'
import { Parameters } from '../../records/parameters.ts'
import { statementName } from '../../records/read-rows.ts'
import type { Change } from '../changes/change.ts'
import { type Access, ALWAYS, accessBy, judgeHere, openQuestions } from '../clients/access.ts'
import type { GroupState } from '../clients/subscription-index.ts'

/** Whether each access lets a change be seen. Questions with the same SQL share one statement. */
export async function decide(store: Store, change: Change, accesses: readonly Access[]): Promise<boolean[]> {
  const verdicts = accesses.map((access) => judgeHere(access, change))
  for (const group of openQuestions(accesses, (at) => verdicts[at] === undefined).values()) {
    const questions = group.map(([, question]) => question)
    const answers = await matchQueries(store, change, questions)
    for (const [i, [at]] of group.entries()) verdicts[at] = answers[i]
  }
  return verdicts.map((verdict) => verdict === true)
}

/**
 * Evaluates questions with the same SQL about a changed record in one statement. The record is as the change
 * left it, others as they are now. An error in the data counts as no. Throws if the statement takes too long.
 */
export async function matchQueries(store: Store, change: Change, questions: readonly CompiledFilter[]) {
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
  const table = questionTable(questions, [...from.places, ...where.places], parameters)
  const condition = `b."id" = ${parameters.add(change.record)} and (${withColumns(where) || 'true'})`
  // the record and its joins are read once for all questions, unless the joins have parameters of a question
  const asked =
    from.places.length > 0
      ? `${table} where exists (select 1 from ${withColumns(from)} where ${condition})`
      : `${from.text} cross join ${table} where ${condition}`
  return { text: `with ${tables} select s.n from ${asked}`, params: parameters.values }
}

/**
 * CTEs that replace the tables that a question reads. They contain the record as the change
 * left it; for a deleted one also all records deleted in the same transaction, such as its parent.
 */
function tablesFor(catalog: Catalog, change: Change, read: readonly string[], parameters: Parameters) {
  const { collection, record, judged } = change
  const table = columnsOf(collection).table
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
  const table = columnsOf(collection).table
  const sameTransaction = `c.xid = ${parameters.add(String(xid))}::xid8`
  const gone = `${sameTransaction} and c.collection = ${parameters.add(collection.id)} and c.action = 'delete'`
  return `${table} as not materialized (select * from ${table} union all ${images(table, gone)})`
}

const images = (table: string, where: string) =>
  `select r.* from _changes c cross join lateral json_populate_record(null::${table}, c.image) r where ${where}`

/** SQL of a question whose parameters are columns of `questionTable`. */
function withColumns({ text, places }: SqlText): string {
  let written = ''
  let end = 0
  for (const place of places) {
    written += `${text.slice(end, place.start)}s.p${place.index}::${place.cast}`
    end = place.end
  }
  return written + text.slice(end)
}

/** Questions with the same SQL as a table `s`: their number `n`, from 1, and a column for each parameter. */
function questionTable(
  questions: readonly CompiledFilter[],
  places: SqlText['places'],
  parameters: Parameters,
) {
  const rows = questions.map(({ params }, i) => ({
    n: i + 1,
    ...Object.fromEntries(params.map((value, at) => [`p${at}`, value])),
  }))
  // json parameters are passed as text inside the JSON
  const columns = new Map(places.map(({ index, cast }) => [`p${index}`, cast === 'json' ? 'text' : cast]))
  const defined = [['n', 'int'], ...columns].map((column) => column.join(' '))
  return `json_to_recordset(${parameters.add(JSON.stringify(rows), 'json')}) s(${defined.join(', ')})`
}

/**
 * The candidates who see an auth record's email despite its `emailVisibility`: superusers, the record itself
 * and those that its manageRule allows. `slices`: yields to other work in between.
 */
export async function emailsSeen(
  store: Store,
  change: Change,
  candidates: readonly GroupState[],
  slices?: EventLoopSlices,
): Promise<readonly boolean[]> {
  const { collection, record, row } = change
  if (collection.type !== 'auth' || row[columnsOf(collection).at.get('emailVisibility')!] === true)
    return candidates.map(() => true)
  const accesses: Access[] = []
  for (const { request } of candidates) {
    if (slices?.isUsedUp) await slices.next()
    const { auth } = request
    const isSelf = auth?.id === record && auth.collection.id === collection.id && !auth.actor
    const rule = auth?.actor ? null : collection.manageRule
    accesses.push(isSelf ? ALWAYS : accessBy(store.catalog, collection, rule, request))
  }
  return decide(store, change, accesses)
}
