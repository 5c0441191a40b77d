import { createHash } from 'node:crypto'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { NO_COLLECTIONS } from '../../platform/db/tables.ts'
import type { ErrorData, FieldError } from '../../platform/errors.ts'
import { accountHolder, type Holder } from '../../platform/limits/holder.ts'
import type { Field } from '../fields/field.ts'
import type { AuthOptions } from './auth-shape.ts'

/** All collections at one moment, immutable. Each change makes a new catalog. */
export class Catalog {
  readonly all: readonly Collection[]
  /** Unique per catalog in this process. Part of the cache keys of compiled filters and statements. */
  readonly version: number
  readonly #byKey = new Map<string, Collection>()
  readonly #fields = new Map<Collection, ReadonlyMap<string, Field>>()
  static #versions = 0

  constructor(collections: readonly Collection[]) {
    this.all = collections
    this.version = ++Catalog.#versions
    for (const collection of collections) this.#byKey.set(collection.name.toLowerCase(), collection)
    for (const collection of collections) {
      this.#byKey.set(`#${collection.id}`, collection)
      this.#fields.set(collection, new Map(collection.fields.map((field) => [field.name, field])))
    }
  }

  /** Finds by id (exact) or name (any case). PocketBase: core/collection_query.go */
  find(nameOrId: string): Collection | undefined {
    return this.#byKey.get(`#${nameOrId}`) ?? this.#byKey.get(nameOrId.toLowerCase())
  }

  /** Finds a field by its name. The collection need not be of this catalog. */
  field(collection: Collection, name: string): Field | undefined {
    const known = this.#fields.get(collection)
    return known ? known.get(name) : collection.fields.find((field) => field.name === name)
  }
}

/** Database access for an account or the server, and the catalog. Read `catalog` anew: changes replace it. */
export interface Store {
  readonly db: Db
  readonly catalog: Catalog
}

export type CollectionType = 'base' | 'auth' | 'view'
export type RuleName = 'listRule' | 'viewRule' | 'createRule' | 'updateRule' | 'deleteRule'
/** An API rule. null: superusers only; '': everyone; any other text is a filter. */
export type Rule = string | null

interface CollectionBase extends Record<RuleName, Rule> {
  id: string
  name: string
  system: boolean
  fields: Field[]
  indexes: string[]
  created: string
  updated: string
  /** Set for an internal table that is treated as a collection. Stored collections do not have it. */
  isInternal?: true
}
export interface BaseCollection extends CollectionBase {
  type: 'base'
}
export interface ViewCollection extends CollectionBase {
  type: 'view'
  viewQuery: string
}
export interface AuthCollection extends CollectionBase, AuthOptions {
  type: 'auth'
}

/** A collection as stored, in PocketBase's export format, with secrets. Immutable. */
export type Collection = BaseCollection | ViewCollection | AuthCollection

export const SUPERUSERS = '_superusers'

export const USERS_ID = '_pb_users_auth_'

/** The user as holder of limits. Work of its devices, API keys and team members counts as the user's. */
export const userHolder = (user: string): Holder => accountHolder(USERS_ID, user)

export const DEVICES_ID = 'devices'

/** Maximum bytes of an identifier. Postgres silently cuts longer ones, so two could become equal. */
const MAX_BYTES = 63
const HASH_LENGTH = 8

/** Columns that every table already has: Postgres' system columns and `_rowid`. */
const TAKEN_COLUMNS = new Set(['_rowid', 'tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

function withHash(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)
  return `${name.slice(0, MAX_BYTES - HASH_LENGTH - 1)}_${hash}`
}

const fits = (name: string) => Buffer.byteLength(name) <= MAX_BYTES

/** The table or view of a collection: its name, changed by a hash if that is reserved or too long. */
export function tableName(collection: { readonly name: string; readonly isInternal?: true }): string {
  const { name } = collection
  if (collection.isInternal) return name
  if (/^pg_/i.test(name) || isInternal(name)) return withHash(`_${name}`)
  return indexName(name)
}

/** The column of a field: its name, changed by a hash if that is reserved or too long. */
export function columnName(field: string): string {
  return fits(field) && !TAKEN_COLUMNS.has(field) ? field : withHash(field)
}

export const indexName = (name: string): string => (fits(name) ? name : withHash(name))

export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

const VIA = '_via_'

/** Splits `contacts_via_user` at the last `_via_` into `contacts` and `user`; undefined for other names. */
export function splitBackRelation(name: string): [collection: string, field: string] | undefined {
  const at = name.lastIndexOf(VIA, name.length - VIA.length - 1)
  if (at < 1 || !/^\w+$/.test(name)) return undefined
  return [name.slice(0, at), name.slice(at + VIA.length)]
}

/** Whether an internal table has this name. The table of a collection then needs another name. */
export const isInternal = (name: string): boolean => NO_COLLECTIONS.has(name.toLowerCase())

/** All rows of `_collections` in order of creation. `data` is the collection's JSON. */
export const readRows = (db: Db): Promise<{ id: string; data: string }[]> =>
  queries(db).selectFrom('_collections').select(['id', 'data']).orderBy('position').execute()

/** A transaction that changes collections. Its catalog includes the changes made so far. */
export class CatalogDraft implements Store {
  readonly db: Db
  #catalog: Catalog

  constructor(db: Db, catalog: Catalog) {
    this.db = db
    this.#catalog = catalog
  }

  get catalog(): Catalog {
    return this.#catalog
  }

  async put(collection: Collection): Promise<void> {
    const { id, name } = collection
    await queries(this.db)
      .insertInto('_collections')
      .values({ id, name, data: JSON.stringify(collection) })
      .onConflict((found) =>
        found
          .column('id')
          .doUpdateSet(({ ref }) => ({ name: ref('excluded.name'), data: ref('excluded.data') })),
      )
      .execute()
    const { all } = this.#catalog
    const place = all.findIndex((one) => one.id === collection.id)
    this.#catalog = new Catalog(place < 0 ? [...all, collection] : all.with(place, collection))
  }

  async remove(collection: Collection): Promise<void> {
    await queries(this.db).deleteFrom('_collections').where('id', '=', collection.id).execute()
    this.#catalog = new Catalog(this.#catalog.all.filter((one) => one.id !== collection.id))
  }
}

const isFieldError = (error: FieldError | ErrorData): error is FieldError => typeof error.code === 'string'

function lines(data: ErrorData, path = ''): string[] {
  return Object.entries(data).flatMap(([key, error]) =>
    isFieldError(error) ? [`${path}${key}: ${error.message}`] : lines(error, `${path}${key}.`),
  )
}

/** A collection that cannot be saved. `data`: the errors by key. */
export class InvalidCollection extends Error {
  override name = 'InvalidCollection'
  readonly collection: Collection
  readonly data: ErrorData

  constructor(collection: Collection, data: ErrorData) {
    super(`collection ${collection.name}: ${lines(data).join('; ')}`)
    this.collection = collection
    this.data = data
  }
}
