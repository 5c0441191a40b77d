import { type QueryCreator, sql } from 'kysely'
import type { Tables } from '../../platform/db/tables.ts'
import { memoize } from '../../platform/tools/lru.ts'
import type { Catalog, Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { columnName, quote, tableName } from '../collections/sql-names.ts'
import type { Value } from '../fields/field.ts'
import { sqlType } from '../fields/field-types.ts'
import type { AuthRecord } from '../request/request.ts'

export type Values = Record<string, Value>

export type RecordRow = readonly Value[]

export interface Columns {
  readonly table: string
  readonly quoted: readonly string[]
  readonly types: readonly string[]
  /** `b."id", b."name", …`: all fields in order, including hidden ones. */
  readonly select: string
  readonly count: number
  readonly at: ReadonlyMap<string, number>
  readonly id: number
}

export const columnsOf = memoize((collection: Collection): Columns => {
  const names = collection.fields.map((field) => field.name)
  const quoted = names.map((name) => quote(columnName(name)))
  return {
    table: quote(tableName(collection)),
    quoted,
    types: collection.fields.map(sqlType),
    select: quoted.map((column) => `b.${column}`).join(', '),
    count: names.length,
    at: new Map(names.map((name, i) => [name, i])),
    id: names.indexOf('id'),
  }
})

/** Defines `key` as an own property: assigning to a field named `__proto__` would set the prototype. */
const own = (values: object, key: string) =>
  Object.defineProperty(values, key, { writable: true, enumerable: true, configurable: true })

export function toValues(collection: Collection, row: RecordRow): Values {
  const values: Values = {}
  collection.fields.forEach((field, i) => {
    if (field.name === '__proto__') own(values, field.name)
    values[field.name] = row[i] ?? null
  })
  return values
}

export function toRow(collection: Collection, values: Readonly<Values>): RecordRow {
  return collection.fields.map((field) => values[field.name] ?? null)
}

export class Parameters {
  readonly values: unknown[]

  constructor(first: readonly unknown[] = []) {
    this.values = [...first]
  }

  /** Adds a parameter and returns its SQL, such as `$7::text`. */
  add(value: unknown, type = 'text'): string {
    this.values.push(value)
    return `$${this.values.length}::${type}`
  }
}

/** The request used an outdated cached auth record: read it again and repeat the request. */
export class StaleAuth extends Error {
  override name = 'StaleAuth'
}

/** SQL of the current version of the auth record with id `$position`, or NULL for a guest. */
export function authVersionSql(auth: AuthRecord | null, position: number): string {
  if (!auth) return 'NULL'
  return `(SELECT xmin::text FROM ${columnsOf(auth.collection).table} WHERE id = $${position}::text)`
}

/** SQL conditions for a write: the caller's cached auth record is current. None for a guest. */
export function freshAuthSql(auth: AuthRecord | null, parameters: Parameters): string[] {
  if (!auth) return []
  parameters.add(auth.id)
  const present = authVersionSql(auth, parameters.values.length)
  return [`${present} = ${parameters.add(auth.version)}`]
}

/** Throws StaleAuth if a result of `authVersionSql` shows that the auth record was changed or deleted. */
export function checkAuthVersion(auth: AuthRecord | null, version: unknown): void {
  if (auth && version !== auth.version) throw new StaleAuth()
}

/** Queries the auth record's version. Throws StaleAuth if the record was changed or deleted. */
export async function checkAuthFresh(store: Store, auth: AuthRecord | null): Promise<void> {
  if (!auth) return
  const { rows } = await store.db.lookUp(`SELECT ${authVersionSql(auth, 1)}`, [auth.id])
  checkAuthVersion(auth, rows[0]?.[0])
}

/** Locks the auth record until the transaction ends. Throws StaleAuth if it was changed or deleted. */
export async function lockFreshAuth(store: Store, auth: AuthRecord | null): Promise<void> {
  if (!auth) return
  const text = `SELECT xmin::text FROM ${columnsOf(auth.collection).table} WHERE id = $1::text FOR SHARE`
  const { rows } = await store.db.query(text, [auth.id])
  checkAuthVersion(auth, rows[0]?.[0])
}

/** In `_changes.collection`: an account's sessions ended. `_changes.record` then has its `accountHolder`. */
export const ENDED_SESSIONS = '_auth_sessions'

type Written = Tables & { written: { id: string } }

export type Action = 'create' | 'update' | 'delete'

/** SQL of a CTE that logs the rows of the CTE `written` in `_changes`. `whole`: with all their columns. */
export function changeLogCte(
  written: string,
  action: Action,
  collection: number | string,
  name = 'noted',
  whole = action === 'delete',
): string {
  // `.*` means the row even if it has a column named like the CTE
  const image = whole ? `row_to_json(${written}.*)` : 'null'
  const id = typeof collection === 'number' ? `$${collection}::text` : `'${collection}'`
  return `${name} as (insert into _changes (collection, action, record, image)
    select ${id}, '${action}', ${written}.id, ${image} from ${written}
    where exists (select 1 from _listeners where ${id} <> all (ignored)))`
}

/** The query of a CTE that logs the rows of the CTE `written` in `_changes`: all `columns` or their `ids`. */
export const noteChanges =
  (action: Action, collection: string, kept: 'columns' | 'ids' = 'columns') =>
  (query: QueryCreator<Written>) =>
    query
      .insertInto('_changes')
      .columns(['collection', 'action', 'record', 'image'])
      .expression((from) =>
        from
          .selectFrom('written')
          .select([
            sql.lit(collection).as('collection'),
            sql.lit(action).as('action'),
            'written.id',
            sql<string | null>`case when ${sql.lit(kept === 'columns')} then row_to_json(written.*) end`.as(
              'image',
            ),
          ])
          .where(sql<boolean>`exists (select from _listeners where ${sql.lit(collection)} <> all (ignored))`),
      )

/** Logs changes for realtime, without the records' values. Does nothing without subscribers. */
export async function logChange(
  store: Pick<Store, 'db'>,
  collection: Pick<Collection, 'id'>,
  action: Action,
  ids: string | readonly string[],
): Promise<void> {
  const list = typeof ids === 'string' ? [ids] : ids
  if (list.length === 0) return
  await store.db.query(
    `insert into _changes (collection, action, record) select $1, $2, id from unnest($3::text[]) id
    where exists (select 1 from _listeners where $1 <> all (ignored))`,
    [collection.id, action, list],
    'note change',
  )
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
