import type { Store } from '../collections/catalog.ts'
import type { Value } from '../fields/field.ts'
import type { RequestInfo } from '../request/request.ts'

/**
 * Additions of the gateway to a collection, by its id. The record store knows no collection by name. All
 * parts are optional.
 */
export interface Extension {
  /** Maximum page size; PocketBase's 1,000 if absent. */
  readonly maxPerPage?: number
  /**
   * SQL of how many records `table` has in all, or with one value of the field `by`; NULL when that is
   * unknown. A list that asks for nothing else need not count.
   */
  readonly total?: { readonly by: string; readonly sql: (table: string, value?: string) => string }
  /**
   * An index has all records in the order of column `order`, also per value of `owner`; searches in this
   * order read the newest first.
   */
  readonly search?: { readonly order: string; readonly owner: string }
  /** List and view by a guest answer 401 `{"error":"unauthorized",…}` instead of an empty list. */
  readonly authRequired?: boolean
  /**
   * A value that cannot be read is an error of its field (fields/types/readable.ts). Otherwise PocketBase's
   * cast makes it empty.
   */
  readonly readsStrictly?: boolean
  /**
   * Runs before a record is validated and stored, in the transaction; may change `values`. Its result is
   * added to the answer of this create only, such as a key that is shown once.
   */
  beforeCreate?(
    store: Store,
    values: Record<string, Value>,
    request: RequestInfo,
  ): Promise<Record<string, unknown>>
  /** Runs before a changed record is validated and stored, in the transaction. May throw an ApiError. */
  beforeUpdate?(
    store: Store,
    values: Record<string, Value>,
    old: Readonly<Record<string, Value>>,
    request: RequestInfo,
  ): Promise<Record<string, unknown>>
  /** Records that refer to a deleted record keep its id: too many may have it. */
  readonly keepsReferences?: boolean
  /** Runs before records are deleted, in the transaction. */
  beforeDelete?(store: Store, ids: readonly string[]): Promise<void>
  /** Runs after records were deleted, in the transaction: deletes dependent rows. */
  afterDelete?(store: Store, ids: readonly string[]): Promise<void>
  /**
   * A record gives its holder access to the record that it refers to (an API key, a device, a webhook). It is
   * deleted when that account turns out to be somebody else's.
   */
  readonly grantsAccess?: boolean
  /**
   * Runs in the transaction when a verified owner takes over an auth record, before records that grant access
   * are deleted: cancels pending work.
   */
  onTakeover?(store: Store, id: string): Promise<void>
}

/** Extensions by collection id. */
export type Extensions = ReadonlyMap<string, Extension>
