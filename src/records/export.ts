import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { isSqlError } from '../db/errors.ts'
import { badRequest } from '../errors.ts'
import { compile } from '../filter/compile.ts'
import { FilterError } from '../filter/errors.ts'
import type { RequestInfo } from '../filter/request.ts'
import { ruleFor } from '../rules/access.ts'
import { answerRecords } from './answer.ts'
import { columnsOf, type Row } from './columns.ts'
import { csvLine } from './csv-line.ts'
import { refuseGuest } from './entry.ts'
import type { Extensions } from './extension.ts'
import { canBeShown } from './render.ts'

/** Rows of one statement: a slow reader holds as many in memory, and no connection. */
const PAGE = 1000

/**
 * All records of a collection that the query's `filter` finds and the listRule lets through, as CSV (RFC 4180) in pieces: the
 * head, then pages, newest first. `fields` names the columns, dotted paths into `expand` too; default: all that are not
 * hidden. `request` is asked anew for each page: who may no longer see the records gets no more of them. What was
 * stored after the beginning is not in it. Throws as a list does, before the first piece; a view has no order of
 * insertion and is refused with 400.
 */
export async function* exportRecords(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: () => Promise<RequestInfo>,
): AsyncGenerator<string, void, void> {
  if (collection.type === 'view') throw badRequest('Views cannot be exported.')
  let asked = await request()
  refuseGuest(extensions, collection, asked)
  const paths = columnPaths(collection, asked.query.fields)
  let page = await readPage(store, collection, asked, null)
  yield csvLine(paths.map((path) => path.join('.')))
  while (page.length > 0) {
    const texts = await answerRecords(store, collection, page, asked)
    yield texts.map((text) => csvLine(cells(JSON.parse(text), paths))).join('')
    if (page.length < PAGE) return
    asked = await request()
    page = await readPage(store, collection, asked, page.at(-1)![columnsOf(collection).count] as number)
  }
}

/** The rows below `_rowid` = `before`, the newest first; their `_rowid` is behind their columns. */
async function readPage(
  store: Store,
  collection: Collection,
  request: RequestInfo,
  before: number | null,
): Promise<readonly Row[]> {
  const rule = ruleFor(collection, 'listRule', request.auth)
  const { filter = '' } = request.query
  try {
    const question = { collection, rule, filter, sort: '', request }
    const { from, where, never, params } = compile(store.catalog, question)
    if (never) return []
    const position = params.length + 1
    const { rows } = await store.db.query(
      `SELECT ${columnsOf(collection).select}, b._rowid FROM ${from}
      WHERE ${where ? `(${where}) AND ` : ''}b._rowid < coalesce($${position}::bigint, 9223372036854775807)
      ORDER BY b._rowid DESC LIMIT ${PAGE}`,
      [...params, before],
    )
    return rows as unknown as Row[]
  } catch (error) {
    throw error instanceof FilterError || isSqlError(error) ? badRequest() : error
  }
}

function columnPaths(collection: Collection, fields = ''): string[][] {
  const named = fields.split(',').map((name) => name.trim())
  const asked = named.filter((name) => name !== '' && name !== '*')
  if (asked.length > 0) return asked.map((name) => name.split('.'))
  const shown = collection.fields.filter((field) => !field.hidden && canBeShown(collection, field))
  return shown.map(({ name }) => [name])
}

/** What stands at each path; nothing where there is none. */
const cells = (record: unknown, paths: readonly string[][]): unknown[] =>
  paths.map((path) =>
    path.reduce((value, key) => {
      const holds = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      return holds ? (value as Record<string, unknown>)[key] : undefined
    }, record),
  )
