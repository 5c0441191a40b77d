import { accountHolder, type Holder } from '../admission/holder.ts'
import type { Db } from '../db/open.ts'
import type { Field } from '../fields/field.ts'
import type { AuthOptions } from './auth-shape.ts'

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

export type CollectionType = 'base' | 'auth' | 'view'
export type RuleName = 'listRule' | 'viewRule' | 'createRule' | 'updateRule' | 'deleteRule'
/** null: superusers only; '': everyone; else a filter. */
export type Rule = string | null

interface CollectionBase {
  id: string
  name: string
  system: boolean
  listRule: Rule
  viewRule: Rule
  createRule: Rule
  updateRule: Rule
  deleteRule: Rule
  fields: Field[]
  indexes: string[]
  created: string
  updated: string
  /** An internal table presented as a collection. Stored collections do not have this. */
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

/** The id of `users`, as PocketBase has it. */
export const USERS_ID = '_pb_users_auth_'

/** The holder for limits of a user, also for the user's devices, keys and members. */
export const userHolder = (user: string): Holder => accountHolder(USERS_ID, user)

export const DEVICES_ID = 'devices'
