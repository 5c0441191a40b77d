import type { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Value } from '../fields/field.ts'
import type { AuthRecord, RequestInfo } from '../request/request.ts'

/** Additions of the gateway to a collection. All are optional. */
export interface Extension {
  /** Maximum page size; PocketBase's 1,000 if absent. */
  readonly maxPerPage?: number
  /** SQL of the number of records in `table`, or of those with this `by`, so that lists need not count. */
  readonly total?: { readonly by: string; readonly sql: (table: string, value?: string) => string }
  /** An index has all records by `order`, also per `owner`; searches in this order read the newest first. */
  readonly search?: { readonly order: string; readonly owner: string }
  /** SQL that holds for all records with a value of `column`: lists add it, for a partial index. */
  readonly implied?: { readonly column: string; readonly sql: (value: string) => string }
  /** List and view by a guest answer 401 `{"error":"unauthorized",…}` instead of an empty list. */
  readonly authRequired?: boolean
  /** An unreadable value is an error of its field. Otherwise PocketBase's cast makes it empty. */
  readonly readsStrictly?: boolean
  readonly setByServer?: readonly string[]
  /** Schemas of what `beforeCreate` adds to the answer. */
  readonly shownOnce?: z.ZodRawShape
  /** A rule for updates and deletes by this caller, besides that of the collection; '' for none. */
  writeRule?(auth: AuthRecord | null): string
  /** Runs in the transaction before validation; may change `values`. Its result is added to the answer. */
  beforeCreate?(
    store: Store,
    values: Record<string, Value>,
    request: RequestInfo,
  ): Promise<Record<string, unknown> | undefined>
  /** Runs before a changed record is validated and stored, in the transaction. May throw an ApiError. */
  beforeUpdate?(
    store: Store,
    values: Record<string, Value>,
    old: Readonly<Record<string, Value>>,
    request: RequestInfo,
  ): Promise<void>
  /** Records that refer to a deleted record keep its id: there may be too many to change. */
  readonly keepsReferences?: boolean
  /** Runs before records are deleted, in the transaction. */
  beforeDelete?(store: Store, ids: readonly string[]): Promise<void>
  /** Runs after records were deleted, in the transaction: deletes dependent rows. */
  afterDelete?(store: Store, ids: readonly string[]): Promise<void>
  /** A record grants access to the auth record it refers to. Deleted when a verified owner takes over. */
  readonly grantsAccess?: boolean
  /** Runs when a verified owner takes over an auth record: cancels pending work. */
  onTakeover?(store: Store, id: string): Promise<void>
}

/** The rule of an update or a delete together with that of the extension. */
export const withWriteRule = (rule: string, extension: Extension | undefined, auth: AuthRecord | null) => {
  const other = extension?.writeRule?.(auth) ?? ''
  return rule && other ? `(${rule}) && ${other}` : rule || other
}

/** By the id of the collection. */
export type Extensions = ReadonlyMap<string, Extension>
