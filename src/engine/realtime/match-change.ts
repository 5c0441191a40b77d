import { isSqlError, isTooSlow } from '../../platform/db/database-errors.ts'
import type { Catalog, Store } from '../collections/catalog.ts'
import { toTableName } from '../collections/sql-names.ts'
import type { CompiledFilter } from '../filter/compiled-filter.ts'
import type { SqlText } from '../filter/writer.ts'
import { writePastTables } from '../records/past-tables.ts'
import { columnsOf } from '../records/record-row.ts'
import { SqlParameters } from '../records/sql-parameters.ts'
import { findStatementName } from '../records/statement-name.ts'
import type { RecordChange } from './load-changes.ts'
import { type Access, findAccessFilter } from './topic-access.ts'

/** Evaluates conditions of equal SQL for the changed record. An SQL error counts as false; timeouts throw. */
export async function matchQueries(
  store: Store,
  change: RecordChange,
  alike: readonly { readonly access: Access }[],
) {
  const questions = alike.map(({ access }) => findAccessFilter(access)!)
  const { text, params } = writeMatchStatement(store.catalog, change, questions)
  const name = questions[0]!.free ? undefined : findStatementName(store.catalog, text)
  try {
    const { rows } = await store.db.shaped(text, params, name)
    const yes = new Set(rows.map(([number]) => Number(number)))
    return questions.map((_, i) => yes.has(i + 1))
  } catch (error) {
    if (isSqlError(error) && !isTooSlow(error)) return questions.map(() => false)
    throw error
  }
}

function writeMatchStatement(
  catalog: Catalog,
  change: RecordChange,
  questions: readonly CompiledFilter[],
) {
  const { from, where, tables: read } = questions[0]!.structure
  const parameters = new SqlParameters()
  const tables = writeMatchTables(catalog, change, read, parameters).join(',\n')
  const table = writeQuestionTable(questions, [...from.places, ...where.places], parameters)
  const condition = `b."id" = ${parameters.add(change.record)} and (${replaceByColumns(where) || 'true'})`
  // read the record and its joins once for all conditions, unless the conditions' joins have parameters
  const asked =
    from.places.length > 0
      ? `${table} where exists (select 1 from ${replaceByColumns(from)} where ${condition})`
      : `${from.text} cross join ${table} where ${condition}`
  return { text: `with ${tables} select s.n from ${asked}`, params: parameters.values }
}

/**
 * CTEs with the names of tables that a condition reads. A deletion is judged by all records as they were
 * before its transaction, another change by the record as the transaction left it.
 */
function writeMatchTables(
  catalog: Catalog,
  { collection, record, judged, action, xid }: RecordChange,
  read: readonly string[],
  parameters: SqlParameters,
) {
  if (action === 'delete')
    return writePastTables(
      catalog,
      [...read, toTableName(collection)],
      { xid, position: 0 },
      (value, type) => parameters.add(value, type),
    )
  const table = columnsOf(collection).table
  const itself = writeImagesSql(table, `c.position = ${parameters.add(judged, 'bigint')}`)
  const rest = `select * from ${table} where "id" <> ${parameters.add(record)}`
  return [`${table} as not materialized (${itself} union all ${rest})`]
}

const writeImagesSql = (table: string, where: string) =>
  `select r.* from _changes c cross join lateral json_populate_record(null::${table}, c.image) r where ${where}`

function replaceByColumns({ text, places }: SqlText): string {
  let written = ''
  let end = 0
  for (const place of places) {
    written += `${text.slice(end, place.start)}s.p${place.index}::${place.cast}`
    end = place.end
  }
  return written + text.slice(end)
}

/** SQL of a table `s` with a row per condition: its number `n`, from 1, and its parameters `p0`, `p1`, …. */
function writeQuestionTable(
  questions: readonly CompiledFilter[],
  places: SqlText['places'],
  parameters: SqlParameters,
) {
  const rows = questions.map(({ params }, i) => ({
    n: i + 1,
    ...Object.fromEntries(params.map((value, at) => [`p${at}`, value])),
  }))
  // in the JSON of the rows, a json parameter is a string
  const columns = new Map(
    places.map(({ index, cast }) => [`p${index}`, cast === 'json' ? 'text' : cast]),
  )
  const defined = [['n', 'int'], ...columns].map((column) => column.join(' '))
  return `json_to_recordset(${parameters.add(JSON.stringify(rows), 'json')}) s(${defined.join(', ')})`
}
