import type { Catalog, Collection, Store } from '../collections/catalog.ts'
import { isSqlError } from '../db/errors.ts'
import type { Db } from '../db/open.ts'
import type { Field } from '../fields/field.ts'
import { DEFAULT_EDITOR_BYTES, DEFAULT_JSON_BYTES, DEFAULT_MAX_CHARACTERS } from '../fields/text.ts'
import { compile } from '../filter/compile.ts'
import type { CompiledFilter, QueryStructure } from '../filter/compiled-filter.ts'
import { type AnswerMeter, meterOf, type RequestInfo } from '../request/request.ts'
import { memoize } from '../tools/lru.ts'
import { type Columns, columnsOf, type RecordRow } from './record-sql.ts'

export interface RowStatement {
  readonly text: string
  readonly columns: Columns
  readonly name: string | undefined
  /** The method of Db that runs the SQL. `lookUp`: few rows by key. `shaped`: a client's filter shapes it. */
  readonly way: 'lookUp' | 'firstRows' | 'shaped' | 'query'
  /** Whether the last parameter limits the bytes of the rows, which are counted while they are read. */
  readonly isGuarded: boolean
}

interface StatementParts {
  readonly text: string
  readonly values: number
  readonly extra: number
  /** For SQL that Postgres plans only once: `free` with a client's filter, else `ruled`. */
  readonly plannedOnce: 'ruled' | 'free' | undefined
  readonly way: RowStatement['way']
  readonly isGuarded: boolean
}

export function rowStatement(catalog: Catalog, collection: Collection, parts: StatementParts): RowStatement {
  const { plannedOnce, way, isGuarded } = parts
  const text = isGuarded ? guardedSql(collection, parts) : parts.text
  const name = plannedOnce && statementName(catalog, text, plannedOnce === 'free')
  return { text, columns: columnsOf(collection), name, way, isGuarded }
}

const statements = new WeakMap<QueryStructure, Map<string, RowStatement>>()

/** The cached statement for a filter and `kind`, made by `write` if missing. Not cached without `kind`. */
export function keptStatement(
  structure: QueryStructure,
  kind: string | undefined,
  write: () => RowStatement,
): RowStatement {
  if (kind === undefined) return write()
  const known = statements.get(structure) ?? new Map<string, RowStatement>()
  const statement = known.get(kind) ?? write()
  statements.set(structure, known.set(kind, statement))
  return statement
}

/** Runs a statement. If `isGuarded`, throws 400 for too many bytes, RetryLater if memory is short. */
export async function readRows(
  { db }: Pick<Store, 'db'>,
  { text, name, way, isGuarded }: RowStatement,
  params: readonly unknown[],
  request: RequestInfo,
): Promise<readonly RecordRow[]> {
  if (!isGuarded) return (await db[way](text, params, name)).rows as unknown as RecordRow[]
  return readGuarded(db, meterOf(request), async (limit) => {
    const { rows } = await db[way](text, [...params, limit], name)
    return rows as unknown as RecordRow[]
  })
}

interface Selection {
  readonly collection: Collection
  /** An API rule; '' allows all records. */
  readonly rule: string
  readonly request: RequestInfo
  /** SQL of a condition on the row `alias`; its first parameter is `$position`. */
  readonly where: (position: number, alias: string) => string
  readonly params: readonly unknown[]
  /** SQL of an additional value at the end of each row. Its first parameter is `$position`. */
  readonly extra?: (position: number) => string
  readonly orderBy?: string
  readonly isLookUp?: boolean
  /** Whether to find rows by `where`, then test the rule. Otherwise Postgres may do the reverse (200 ms). */
  readonly isFirst?: boolean
  readonly idsOnly?: boolean
  readonly limit?: number
  /** Whether rows may be large. Their bytes are then counted while they are read. */
  readonly isGuarded?: boolean
  /** Cache key: selections with equal `kind` and rule have the same SQL. Not cached if absent. */
  readonly kind?: string
}

export const byId = (id: string) => ({
  where: (position: number) => `b."id" = $${position}::text`,
  params: [id],
})

/** Reads the rows that match `where` and the rule, each with `extra` at its end. Throws FilterError. */
export async function selectRows(store: Store, selection: Selection): Promise<readonly RecordRow[]> {
  const { collection, rule, request } = selection
  const compiled = compile(store.catalog, { collection, rule, filter: '', sort: '', request })
  if (compiled.never) return []
  const params = [...compiled.params, ...selection.params]
  const { structure } = compiled
  const statement = keptStatement(structure, selection.kind, () => {
    const isShaped = request.context === 'expand' || collection.type === 'view'
    // no lookup if the rule reads other tables or a view, which may be slow
    const isLookUp = selection.isLookUp === true && structure.readsOneTable
    return rowStatement(store.catalog, collection, {
      text: selectSql(compiled, selection),
      values: params.length,
      extra: selection.extra ? 1 : 0,
      plannedOnce: 'ruled',
      way: isLookUp ? 'lookUp' : isShaped ? 'shaped' : 'query',
      isGuarded: selection.isGuarded ?? false,
    })
  })
  return readRows(store, statement, params, request)
}

function selectSql(compiled: CompiledFilter, selection: Selection): string {
  const { collection, where, extra, orderBy } = selection
  const position = compiled.params.length + 1
  const columns = selection.idsOnly
    ? 'b."id"'
    : columnsOf(collection).select + (extra ? `, ${extra(position)}` : '')
  const limit = selection.limit === undefined ? '' : ` LIMIT ${selection.limit}`
  const order = (orderBy ? ` ORDER BY ${orderBy}` : '') + limit
  if (selection.isFirst && compiled.where && collection.type !== 'view') {
    const found = `(SELECT t.* FROM ${columnsOf(collection).table} t WHERE ${where(position, 't')} OFFSET 0) b`
    return `SELECT ${columns} FROM ${found}${compiled.structure.joins} WHERE ${compiled.where}${order}`
  }
  const condition = compiled.where ? `(${compiled.where}) AND ${where(position, 'b')}` : where(position, 'b')
  return `SELECT ${columns} FROM ${compiled.from} WHERE ${condition}${order}`
}

/** Text in the database error that guarded SQL raises for rows with too many bytes. */
const MARK = 'more bytes than allowed: '
const INVALID_TEXT = '22P02'

/** SQL that raises an error at a row if the rows before it exceed the bytes in the last parameter. */
function guardedSql(collection: Collection, { text, values, extra }: StatementParts): string {
  const names = Array.from({ length: columnsOf(collection).count + extra }, (_, i) => `c${i}`)
  const columns = names.join(', ')
  return `SELECT ${columns}, CASE WHEN upto - size <= $${values + 1}::bigint THEN upto ELSE ('${MARK}' || upto)::bigint END
    FROM (SELECT *, sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS upto
      FROM (SELECT *, ${rowSizeOf(collection).sql} AS size FROM (${text}) r(${columns})) s) t`
}

const isOverGuard = (error: unknown): boolean =>
  isSqlError(error, INVALID_TEXT) && error.message.includes(MARK)

/** Reads the bytes that `meter` has reserved. If rows have more, reserves the maximum and reads again. */
function readGuarded(db: Db, meter: AnswerMeter, read: (limit: number) => Promise<readonly RecordRow[]>) {
  const readCounted = async () => {
    const rows = await read(meter.unread)
    meter.addRead(Number(rows.at(-1)?.at(-1) ?? 0))
    return rows
  }
  return meter.inTurn(async () => {
    try {
      return await readCounted()
    } catch (error) {
      if (!isOverGuard(error)) throw error
      // the error has aborted the transaction: `beginAgain` throws, so that the caller repeats it
      if (db.inTransaction) meter.beginAgain()
      await meter.takeAll()
    }
    return readCounted().catch((error: unknown) => {
      throw isOverGuard(error) ? meter.tooLarge() : error
    })
  })
}

/** Maximum names of prepared statements. Each costs memory in every connection. */
const MAX_NAMES = 300
/** If this many names are in use, a statement with a client's filter gets none. */
const MAX_FREE_NAMES = 150

const namesOf = memoize((_: Catalog) => new Map<string, string>())

/** Name of a prepared statement; undefined if no name is left. Names change with the collections. */
export function statementName(catalog: Catalog, text: string, isFree = false): string | undefined {
  const known = namesOf(catalog)
  let name = known.get(text)
  if (name === undefined && known.size < (isFree ? MAX_FREE_NAMES : MAX_NAMES)) {
    name = `records ${catalog.version} ${known.size}`
    known.set(text, name)
  }
  return name
}

const CHARACTER_BYTES = 4
const NAME_BYTES = 150
const SMALL_BYTES = 40
const GEO_BYTES = 100
const LARGE_BYTES = 64 << 10

function maxBytes(field: Field): number {
  switch (field.type) {
    case 'text':
      return (field.max || DEFAULT_MAX_CHARACTERS) * CHARACTER_BYTES
    case 'email':
    case 'url':
      return DEFAULT_MAX_CHARACTERS * CHARACTER_BYTES
    case 'json':
      return field.maxSize || DEFAULT_JSON_BYTES
    case 'editor':
      return field.maxSize || DEFAULT_EDITOR_BYTES
    case 'select':
      return field.values.reduce((sum, value) => sum + Buffer.byteLength(value), 0)
    case 'relation':
    case 'file':
      return Math.max(field.maxSelect, 1) * NAME_BYTES
    case 'geoPoint':
      return GEO_BYTES
    default:
      return SMALL_BYTES
  }
}

/** How to measure rows of a collection. A column of NAME_BYTES or less is counted as full, not measured. */
export const rowSizeOf = memoize((collection: Collection) => {
  const isView = collection.type === 'view'
  const sizes = collection.fields.map((field) => (isView ? Number.POSITIVE_INFINITY : maxBytes(field)))
  const measured = collection.fields.flatMap((field, i) =>
    sizes[i]! > NAME_BYTES ? `coalesce(octet_length(${asText(field, `c${i}`)}), 0)` : [],
  )
  const constant = sizes.reduce((sum, size) => (size > NAME_BYTES ? sum : sum + size), 0)
  return {
    max: sizes.reduce((sum, size) => sum + size, 0),
    /** Whether one field may exceed LARGE_BYTES: json, editor, long text, any field of a view. */
    hasLarge: sizes.some((size) => size > LARGE_BYTES),
    /** SQL of a row's size in bytes. The row's columns are `c0`, `c1`, … in the order of the fields. */
    sql: [constant, ...measured].join(' + '),
  }
})

/** SQL of a column as text. Text columns stay: Postgres knows their length without reading them. */
const asText = (field: Field, column: string): string =>
  field.type === 'text' || field.type === 'editor' ? column : `${column}::text`
