import type { Store } from '../../collections/catalog.ts'
import { listFault } from '../../db/errors.ts'
import type { Db } from '../../db/open.ts'
import { ApiError, badRequest, notFound } from '../../errors.ts'
import { FilterError } from '../../filter/parse.ts'
import type { RequestInfo } from '../../request/request.ts'
import type { Services } from '../context.ts'
import { compilePlain, listPlain, plainList } from './plain-list.ts'

const LOGS = plainList(
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

/** A page of the logs as JSON. Throws 400, FilterError. PocketBase: apis/logs.go */
export async function listLogs(store: Store, { extensions, logs }: LogListServices, request: RequestInfo) {
  await logs.flush()
  return listPlain(LOGS, store, extensions, request, ({ id, created, data, message, level }) =>
    JSON.stringify({ id, created, data, message, level }),
  )
}

const ONE = 'select id, created, data, message, level from _logs where id = $1'

/** A request log as JSON. Throws 404. */
export async function viewLog(store: Store, { logs }: LogListServices, id: string): Promise<string> {
  await logs.flush()
  const { rows } = await store.db.query(ONE, [id])
  if (!rows[0]) throw notFound()
  const [key, created, data, message, level] = rows[0]
  return JSON.stringify({ id: key, created, data: JSON.parse(String(data)), message, level })
}

/** Requests by hour that match the query's `filter`: `[{date, total}]`. Throws 400. */
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

function compileStats(db: Db, request: RequestInfo) {
  try {
    return compilePlain(LOGS, db, request)
  } catch (error) {
    const isInvalid = error instanceof ApiError || error instanceof FilterError
    throw isInvalid ? badRequest('Invalid filter format.') : error
  }
}
