import type { ErrorData, FieldError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Field } from '../fields/field.ts'
import type { Collection } from './collection.ts'
import type { BuiltIn } from './definition/built-in-collections.ts'

/** All collections at one moment, immutable. Each change makes a new catalog. */
export class Catalog {
  readonly all: readonly Collection[]
  readonly builtIn: BuiltIn
  /** Unique per catalog in this process. Part of the cache keys of compiled filters and statements. */
  readonly version: number
  readonly #byKey = new Map<string, Collection>()
  readonly #fields = new Map<Collection, ReadonlyMap<string, Field>>()
  static #versions = 0

  constructor(collections: readonly Collection[], builtIn: BuiltIn) {
    this.all = collections
    this.builtIn = builtIn
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

  isBuiltIn({ id }: Pick<Collection, 'id'>): boolean {
    return this.builtIn.raw.has(id)
  }

  /** Finds a field by its name. The collection need not be of this catalog. */
  field(collection: Collection, name: string): Field | undefined {
    const known = this.#fields.get(collection)
    return known ? known.get(name) : collection.fields.find((field) => field.name === name)
  }
}

/** A moment in a transaction that has ended: before its change at this position of `_changes`, or at 0. */
export interface Past {
  readonly xid: number
  readonly position: number
}

/** Database access for an account or the server. Changes replace `catalog`: do not keep it. */
export interface Store {
  readonly db: Db
  readonly catalog: Catalog
  /** Rows are read as they were then; absent: as they are. */
  readonly past?: Past | undefined
}

/** All rows of `_collections` in order of creation. `data` is the collection's JSON. */
export const loadCollectionRows = (db: Db): Promise<{ id: string; data: string }[]> =>
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
    this.#replace(place < 0 ? [...all, collection] : all.with(place, collection))
  }

  async remove(collection: Collection): Promise<void> {
    await queries(this.db).deleteFrom('_collections').where('id', '=', collection.id).execute()
    this.#replace(this.#catalog.all.filter((one) => one.id !== collection.id))
  }

  #replace(collections: readonly Collection[]): void {
    this.#catalog = new Catalog(collections, this.#catalog.builtIn)
  }
}

const isFieldError = (error: FieldError | ErrorData): error is FieldError =>
  typeof error.code === 'string'

function listErrorLines(data: ErrorData, path = ''): string[] {
  return Object.entries(data).flatMap(([key, error]) =>
    isFieldError(error)
      ? [`${path}${key}: ${error.message}`]
      : listErrorLines(error, `${path}${key}.`),
  )
}

/** A collection that cannot be saved. `data`: the errors by key. */
export class InvalidCollection extends Error {
  override name = 'InvalidCollection'
  readonly collection: Collection
  readonly data: ErrorData

  constructor(collection: Collection, data: ErrorData) {
    super(`collection ${collection.name}: ${listErrorLines(data).join('; ')}`)
    this.collection = collection
    this.data = data
  }
}
