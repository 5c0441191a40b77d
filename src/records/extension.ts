import type { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Value } from '../fields/field.ts'
import type { AuthRecord, RequestInfo } from '../request/request.ts'

export interface Extension {
  /** Maximum page size; PocketBase's 1,000 if absent. */
  readonly maxPerPage?: number
  /** SQL of an uncounted total: of all records in `table`, or those with `value` in column `by`. */
  readonly total?: { readonly by: string; readonly sql: (table: string, value?: string) => string }
  /** Columns of two indexes: (`order`) and (`owner`, `order`). A search reads the newest rows first. */
  readonly search?: { readonly order: string; readonly owner: string }
  /** SQL that is true for all records with this value of `column`. Lists add it, to use a partial index. */
  readonly implied?: { readonly column: string; readonly sql: (value: string) => string }
  /** List and view by a guest answer 401 `{"error":"unauthorized",…}` instead of an empty list. */
  readonly authRequired?: boolean
  /** A value that cannot be read is an error of its field. If absent, it becomes empty, as in PocketBase. */
  readonly readsStrictly?: boolean
  readonly setByServer?: readonly string[]
  /** Schemas of the values that `beforeCreate` and `beforeUpdate` add to the answer. */
  readonly shownOnce?: z.ZodRawShape
  /** A rule that updates and deletes by this caller must satisfy besides the collection's; '' for none. */
  writeRule?(auth: AuthRecord | null): string
  /** Runs in the transaction before validation; may change `values`. Its result is added to the answer. */
  beforeCreate?(
    store: Store,
    values: Record<string, Value>,
    request: RequestInfo,
  ): Promise<Record<string, unknown> | undefined>
  /** As `beforeCreate`, for a changed record. May throw an ApiError. */
  beforeUpdate?(
    store: Store,
    values: Record<string, Value>,
    old: Readonly<Record<string, Value>>,
    request: RequestInfo,
    // biome-ignore lint/suspicious/noConfusingVoidType: most return nothing
  ): Promise<Record<string, unknown> | undefined | void>
  /** Records that refer to a deleted record keep its id: there may be too many to change. */
  readonly keepsReferences?: boolean
  beforeDelete?(store: Store, ids: readonly string[]): Promise<void>
  /** Runs after records were deleted, in the transaction: deletes dependent rows. */
  afterDelete?(store: Store, ids: readonly string[]): Promise<void>
  /** Whether a record gives others access to an auth record. A verified owner who takes over deletes it. */
  readonly grantsAccess?: boolean
  /** Runs when a verified owner takes over an auth record, to cancel pending work. */
  onTakeover?(store: Store, id: string): Promise<void>
}

/** The rule of an update or a delete together with that of the extension. */
export const withWriteRule = (rule: string, extension: Extension | undefined, auth: AuthRecord | null) => {
  const other = extension?.writeRule?.(auth) ?? ''
  return rule && other ? `(${rule}) && ${other}` : rule || other
}

export type Extensions = ReadonlyMap<string, Extension>
