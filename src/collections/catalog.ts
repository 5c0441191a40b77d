import type { Db } from '../db/open.ts'
import type { Field } from '../fields/field.ts'
import type { Collection } from './collection.ts'

/** All collections at one moment, immutable. Each change makes a new catalog. */
export class Catalog {
  readonly all: readonly Collection[]
  /** Unique per catalog in this process: a cache key for what is compiled from it. */
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

  /** The field of a collection, which may be from another catalog. */
  field(collection: Collection, name: string): Field | undefined {
    const known = this.#fields.get(collection)
    return known ? known.get(name) : collection.fields.find((field) => field.name === name)
  }
}

/** The database, for a holder or the server, and the collections. Do not keep `catalog`: it changes. */
export interface Store {
  readonly db: Db
  readonly catalog: Catalog
}
