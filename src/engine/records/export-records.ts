import { badRequest } from '../../platform/api-errors.ts'
import { listFault } from '../../platform/db/database-errors.ts'
import { writeCsvLine } from '../../portable/write-csv.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { compileFilter } from '../filter/compile-filter.ts'
import { AnswerMeter, AnswerTooLarge } from '../request/answer-limit.ts'
import type { RequestInfo } from '../request/request.ts'
import { answerRecords } from './answer-records.ts'
import { requireRule } from './check-rules.ts'
import type { Extensions } from './collection-extension.ts'
import { writeIndexOrder } from './list-indexes.ts'
import { pickFields } from './pick.ts'
import { selectRecordRows, writeRowStatement } from './read-records.ts'
import { columnsOf } from './record-row.ts'
import { canBeShown } from './shown-fields.ts'

const PAGE = 1000

const SHRINK = 4

/** Maximum bytes of a page. While one is sent to a slow client, the next two are already in memory. */
export const PAGE_BYTES = 1 << 20

/** Maximum bytes of one record together with its expanded records. */
const RECORD_BYTES = 8 << 20

/** CSV (RFC 4180), or a line of JSON for each record. */
export type ExportFormat = 'csv' | 'ndjson'

/** Yields records, newest first. `request` checks the caller again before each page. */
export async function* exportRecords(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  format: ExportFormat,
  request: () => Promise<RequestInfo>,
): AsyncGenerator<string, void, void> {
  if (collection.type === 'view') throw badRequest('Views cannot be exported.')
  const isAuthRequired = extensions.get(collection.id)?.authRequired
  let asked = await request()
  const { head, writeLine } = FORMATS[format](collection, asked.query.fields)
  let text = head
  let size = PAGE
  for (let before: number | null = null; ; asked = await request()) {
    const rule = requireRule(collection, 'listRule', asked.auth, isAuthRequired)
    const inside = { db: await store.db.forReading(), catalog: store.catalog }
    const page = await readPage(inside, collection, rule, asked, before, size)
    if (!page) {
      size = Math.ceil(size / SHRINK)
      continue
    }
    for (const one of page.texts) text += writeLine(one)
    yield text
    if (page.rows.length < size) return
    text = ''
    before = page.rows.at(-1)![columnsOf(collection).count] as number
  }
}

/** Reads the newest `size` rows whose `_rowid` is below `before`; undefined if they exceed PAGE_BYTES. */
async function readPage(
  store: Store,
  collection: Collection,
  rule: string,
  request: RequestInfo,
  before: number | null,
  size: number,
) {
  const meter = new AnswerMeter(undefined, 0, size > 1 ? PAGE_BYTES : RECORD_BYTES)
  const counted = { ...request, meter }
  const { filter = '' } = request.query
  try {
    const question = { collection, rule, filter, sort: '-@rowid', request, ticket: store.db.ticket }
    const compiled = compileFilter(store.catalog, question)
    const { from, where, never, params } = compiled
    if (never) return { rows: [], texts: [] }
    const text = `SELECT ${columnsOf(collection).select}, b._rowid FROM ${from}
      WHERE ${where ? `(${where}) AND ` : ''}b._rowid < coalesce($${params.length + 1}::bigint, 9223372036854775807)
      ORDER BY ${writeIndexOrder(collection, compiled)} LIMIT ${size}`
    const values = [...params, before]
    const statement = writeRowStatement(store.catalog, collection, {
      text,
      values: values.length,
      extra: 1,
      plannedOnce: undefined,
      way: 'shaped',
      isGuarded: true,
    })
    const rows = await selectRecordRows(store, statement, values, counted)
    return { rows, texts: await answerRecords(store, collection, rows, counted) }
  } catch (error) {
    if (error instanceof AnswerTooLarge && size > 1) return undefined
    throw listFault(error)
  }
}

interface Lines {
  readonly head: string
  readonly writeLine: (record: string) => string
}

const FORMATS: Readonly<
  Record<ExportFormat, (collection: Collection, fields: string | undefined) => Lines>
> = {
  csv(collection, fields) {
    const paths = listColumnPaths(collection, fields)
    return {
      head: writeCsvLine(paths.map((path) => path.join('.'))),
      writeLine: (record) => writeCsvLine(readCells(JSON.parse(record), paths)),
    }
  },
  ndjson: (_, fields) => ({
    head: '',
    writeLine: (record) => `${joinLines(fields ? pickFields(record, fields) : record)}\n`,
  }),
}

/** A JSON field keeps the line breaks with which it was written. They stand between values only. */
const joinLines = (json: string) => json.replace(/[\r\n]/g, ' ')

function listColumnPaths(collection: Collection, fields = ''): string[][] {
  const named = fields.split(',').map((name) => name.trim())
  const asked = named.filter((name) => name !== '' && name !== '*')
  if (asked.length > 0) return asked.map((name) => name.split('.'))
  const shown = collection.fields.filter((field) => !field.hidden && canBeShown(collection, field))
  return shown.map(({ name }) => [name])
}

const readCells = (record: unknown, paths: readonly string[][]): unknown[] =>
  paths.map((path) =>
    path.reduce((value, key) => {
      const holds = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      return holds ? (value as Record<string, unknown>)[key] : undefined
    }, record),
  )
