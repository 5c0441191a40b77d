import { Catalog, type Store } from '../engine/collections/catalog.ts'
import type { BaseCollection } from '../engine/collections/collection.ts'
import { readBuiltInDefinitions } from '../engine/collections/definition/built-in-collections.ts'
import { parseNewCollection } from '../engine/collections/definition/read-collection.ts'
import { readField } from '../engine/collections/definition/read-field.ts'
import type { Field, FieldTypeName } from '../engine/fields/field.ts'
import { readSort } from '../engine/filter/build-sort.ts'
import { compileFilter } from '../engine/filter/compile-filter.ts'
import type { CompiledFilter } from '../engine/filter/compiled-filter.ts'
import { collectFilterNames, FilterError, parseFilter } from '../engine/filter/parse-filter.ts'
import type { Extensions } from '../engine/records/collection-extension.ts'
import { listRecords } from '../engine/records/list.ts'
import { pickFields } from '../engine/records/pick.ts'
import type { RequestInfo } from '../engine/request/request.ts'
import { ApiError, badRequest, notFound } from '../platform/api-errors.ts'
import { listFault } from '../platform/db/database-errors.ts'
import type { Db } from '../platform/db/open.ts'
import { queries } from '../platform/db/queries.ts'
import type { Services } from './request-context.ts'

/** A table or view that can be listed like a collection. Filters may name only its own fields. */
interface PlainList {
  readonly collection: BaseCollection
  readonly alone: Catalog
  readonly paths: RegExp
}

/** Makes a list of a table or view. `paths`: which paths into JSON fields filters may use; default: none. */
export function makePlainList(
  name: string,
  fields: readonly (readonly [name: string, type: FieldTypeName])[],
  paths = /(?!)/,
): PlainList {
  const read = (field: string, type: FieldTypeName): Field => readField({ name: field, type })
  const collection = {
    ...parseNewCollection({ name }),
    id: name,
    isInternal: true,
    fields: fields.map(([field, type]) => read(field, type)),
  } as BaseCollection
  return { collection, alone: new Catalog([collection], readBuiltInDefinitions([])), paths }
}

/** Throws 400 if `filter` or `sort` name what is no own field, FilterError for a wrong filter. */
function checkFieldNames(
  { paths }: PlainList,
  { query: { filter = '', sort = '' } }: RequestInfo,
): void {
  const names = [
    ...(filter && collectFilterNames(parseFilter(filter))),
    ...readSort(sort).map(({ name }) => name),
  ]
  if (!names.every((name) => !/[.:]/.test(name) || paths.test(name))) throw badRequest()
}

/** A page of a list as JSON. `write` makes the JSON of one row. Throws 400, FilterError. */
export async function listPlainRows(
  list: PlainList,
  { db }: Store,
  extensions: Extensions,
  request: RequestInfo,
  write: (row: Readonly<Record<string, unknown>>) => string,
): Promise<string> {
  checkFieldNames(list, request)
  const { fields, ...query } = request.query
  const { collection, alone: catalog } = list
  const whole = { ...request, query }
  const { items, ...page } = JSON.parse(
    await listRecords({ db, catalog }, extensions, collection, whole),
  )
  const text = `{"items":[${items.map(write).join(',')}],${JSON.stringify(page).slice(1)}`
  return fields ? pickFields(text, fields, 'items') : text
}

const LOGS = makePlainList(
  '_logs',
  [
    ['id', 'text'],
    ['created', 'date'],
    ['level', 'number'],
    ['message', 'text'],
    ['data', 'json'],
  ],
  /^data\.[\w.:]*\w$/,
)

type LogListServices = Pick<Services, 'extensions' | 'logs'>

/** A page of the request log as JSON. Throws 400, FilterError. PocketBase: apis/logs.go */
export async function listLogs(
  store: Store,
  { extensions, logs }: LogListServices,
  request: RequestInfo,
) {
  await logs.flush()
  return listPlainRows(LOGS, store, extensions, request, ({ id, created, data, message, level }) =>
    JSON.stringify({ id, created, data, message, level }),
  )
}

/** An entry of the request log as JSON. Throws 404. */
export async function viewLog(
  store: Store,
  { logs }: LogListServices,
  id: string,
): Promise<string> {
  await logs.flush()
  const line = await queries(store.db)
    .selectFrom('_logs')
    .select(['id', 'created', 'data', 'message', 'level'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!line) throw notFound()
  return JSON.stringify({ ...line, data: JSON.parse(line.data) })
}

/** Counts, per hour, logged requests that match the query's `filter`: JSON `[{date, total}]`. Throws 400. */
export async function logStats(store: Store, { logs }: LogListServices, request: RequestInfo) {
  const { filter = '' } = request.query // without `sort`
  const { from, where, params, never } = compileStats(store.db, { ...request, query: { filter } })
  await logs.flush()
  const condition = never ? 'where false' : where && `where ${where}`
  const hour = `left(b.created::text, 13) collate "C"`
  const text = `select ${hour} || ':00:00.000Z', count(*) from ${from} ${condition} group by ${hour} order by ${hour}`
  try {
    const { rows } = await store.db.shaped(text, params)
    return JSON.stringify(rows.map(([date, total]) => ({ date, total: Number(total) })))
  } catch (error) {
    throw listFault(error, 'Failed to generate logs stats.')
  }
}

function compileStats({ ticket }: Db, request: RequestInfo): CompiledFilter {
  try {
    checkFieldNames(LOGS, request)
    const { filter = '' } = request.query
    return compileFilter(LOGS.alone, {
      collection: LOGS.collection,
      rule: '',
      filter,
      sort: '',
      request,
      ticket,
    })
  } catch (error) {
    const isInvalid = error instanceof ApiError || error instanceof FilterError
    throw isInvalid ? badRequest('Invalid filter format.') : error
  }
}
