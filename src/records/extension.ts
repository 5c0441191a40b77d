import type { Store } from '../collections/catalog.ts'
import type { Value } from '../fields/field.ts'
import type { RequestInfo } from '../request/request.ts'

/**
 * What the gateway adds to a collection, by the collection's id. The record store knows no collection by
 * name: it asks the extensions. All parts are optional.
 */
export interface Extension {
  /** Largest page of a list; PocketBase's 1,000 when absent. */
  readonly maxPerPage?: number
  /**
   * SQL of how many records `table` has in all, or with one value of the field `by`; NULL when that is
   * unknown. A list that asks for nothing else need not count. `stamp`: SQL of a text that changes whenever
   * one of these records whose `created` is more than an hour ago has come or gone.
   */
  readonly total?: {
    readonly by: string
    readonly sql: (table: string, value?: string) => string
    readonly stamp?: (table: string, value?: string) => string
  }
  /**
   * The column in whose order an index has all records, and those of each value of `owner`: a search in this
   * order looks at the newest first.
   */
  readonly search?: { readonly order: string; readonly owner: string }
  /** List and view by a guest answer 401 `{"error":"unauthorized",…}` instead of an empty list. */
  readonly authRequired?: boolean
  /**
   * A sent value that cannot be read is a validation error of its field (fields/types/readable.ts). Without
   * it PocketBase's cast makes it the field's empty value.
   */
  readonly readsStrictly?: boolean
  /**
   * Before a record is validated and stored, in the transaction: may change `values` (by field name). What it
   * returns is added to the answer of this create only: a key that is shown once.
   */
  beforeCreate?(
    store: Store,
    values: Record<string, Value>,
    request: RequestInfo,
  ): Promise<Record<string, unknown>>
  /** Before a changed record is validated and stored, in the transaction. May throw an ApiError. */
  beforeUpdate?(
    store: Store,
    values: Record<string, Value>,
    old: Readonly<Record<string, Value>>,
    request: RequestInfo,
  ): Promise<Record<string, unknown>>
  /** After records were deleted, in the transaction: rows that hang on them go too. */
  afterDelete?(store: Store, ids: readonly string[]): Promise<void>
  /**
   * A record opens something for the one it points at, whoever holds it (an API key, a device, a webhook). It
   * goes when that one turns out to be somebody else's.
   */
  readonly grantsAccess?: boolean
  /**
   * An auth record has come to another, in the transaction, before what `grantsAccess` it goes: what waits in
   * its name ends.
   */
  onTakeover?(store: Store, id: string): Promise<void>
}

/** Extensions by collection id. */
export type Extensions = ReadonlyMap<string, Extension>
