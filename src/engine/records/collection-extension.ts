import type { z } from 'zod'
import type { Db } from '../../platform/db/open.ts'
import type { Logger } from '../../platform/log.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Value } from '../fields/field.ts'
import type { AuthRecord, RequestInfo } from '../request/request.ts'
import { requireRule } from './check-rules.ts'

/**
 * A table with some columns of a collection, and with `_rowid`. Triggers must keep it, in the transaction
 * that changes a record.
 */
export interface CoveringTable {
  readonly table: string
  readonly columns: readonly string[]
  /** The columns of its indexes, each without the `_rowid` at the end. */
  readonly indexes: readonly (readonly string[])[]
}

/** A person as an OAuth2 provider names them. */
export interface ProviderPerson {
  /** The provider's name. */
  readonly provider: string
  /** Reads the provider's claims about the person. Throws if they cannot be trusted. */
  readonly readClaims: () => Promise<Readonly<Record<string, unknown>>>
  readonly log: Logger
}

/** Claims of a provider about a person who signs in. */
export interface ProviderClaims {
  readonly provider: string
  readonly claims: Readonly<Record<string, unknown>>
}

export interface Extension {
  /** Maximum page size; PocketBase's 1,000 if absent. */
  readonly maxPerPage?: number
  /** SQL that reads a stored count: of all rows of `table`, or of those with `value` in column `by`. */
  readonly total?: { readonly by: string; readonly sql: (table: string, value?: string) => string }
  /** Columns with indexes on (`order`) and (`owner`, `order`): searches begin at the newest rows. */
  readonly search?: { readonly order: string; readonly owner: string }
  /** A table of small rows, one for each record. Lists count and find records in it if it has all columns. */
  readonly covering?: CoveringTable
  /** A guest who lists or views records gets 401 `{"error":"unauthorized",…}`, not an empty list or 404. */
  readonly authRequired?: boolean
  /** Whether an unreadable value is an error of its field. Otherwise it becomes empty, as in PocketBase. */
  readonly readsStrictly?: boolean
  readonly setByServer?: readonly string[]
  /** Schemas of the values that `beforeCreate` and `beforeUpdate` add to the answer. */
  readonly shownOnce?: z.ZodRawShape
  /** A further rule that updates and deletes by this caller must satisfy; '' for none. */
  writeRule?(auth: AuthRecord | null): string
  /** Checks values without the database, for imports. Throws an ApiError that names a field. */
  check?(values: Readonly<Record<string, Value>>): void
  /** Completes the values of an imported record, of which `given` are those of the source. */
  completeImported?(values: Record<string, Value>, given: Readonly<Record<string, unknown>>): void
  /** Runs in the transaction of an import, before it writes. */
  beforeImport?(db: Db): Promise<void>
  /** Runs in the transaction, before validation. May change `values`. The answer includes what it returns. */
  beforeCreate?(
    store: Store,
    values: Record<string, Value>,
    request: RequestInfo,
  ): Promise<Record<string, unknown> | undefined>
  /** Like `beforeCreate`, but for an update. May throw an ApiError. */
  beforeUpdate?(
    store: Store,
    values: Record<string, Value>,
    old: Readonly<Record<string, Value>>,
    request: RequestInfo,
    // biome-ignore lint/suspicious/noConfusingVoidType: most return nothing
  ): Promise<Record<string, unknown> | undefined | void>
  /** Whether other records may keep the id of a deleted record, because too many would have to change. */
  readonly keepsReferences?: boolean
  beforeDelete?(store: Store, ids: readonly string[]): Promise<void>
  /** Runs in the transaction after records were deleted, to delete dependent rows. */
  afterDelete?(store: Store, ids: readonly string[]): Promise<void>
  /** Whether records here give others access to an account. A verified owner's takeover deletes them. */
  readonly grantsAccess?: boolean
  /** Whom a provider's new person becomes: values of the record; undefined: what the create rule allows. */
  admitNewcomer?(
    store: Store,
    person: ProviderPerson,
  ): Promise<Readonly<Record<string, Value>> | undefined>
  /** Claims of a provider about a person; undefined if they change nothing here. */
  findProviderClaims?(
    store: Store,
    person: ProviderPerson & { readonly auth: AuthRecord },
  ): Promise<ProviderClaims | undefined>
  /** Whether `onProviderSignIn` would enable a record that is disabled because it has left all accounts. */
  readmits?(store: Store, auth: AuthRecord, said: ProviderClaims): Promise<boolean>
  /** Runs when a sign-in by a provider is complete, with its second proof, outside of transactions. */
  onProviderSignIn?(
    store: Store,
    extensions: Extensions,
    person: ProviderClaims & Pick<ProviderPerson, 'log'> & { readonly auth: AuthRecord },
  ): Promise<void>
  /** Runs when the verified owner takes over an auth record, to cancel what a former user left pending. */
  onTakeover?(store: Store, id: string): Promise<void>
}

/** The rule for an update or delete, with the extension's `writeRule`. Throws 403 as `requireRule`. */
export const requireWriteRule = (
  collection: Collection,
  name: 'updateRule' | 'deleteRule',
  auth: AuthRecord | null,
  extension: Extension | undefined,
) => {
  const rule = requireRule(collection, name, auth)
  const other = extension?.writeRule?.(auth) ?? ''
  return rule && other ? `(${rule}) && ${other}` : rule || other
}

export type Extensions = ReadonlyMap<string, Extension>

/** The same extension, for a collection that refuses unreadable values instead of storing them as empty. */
export const makeStrictExtension = <Own extends Extension>(extension: Own) => ({
  ...extension,
  readsStrictly: true,
})
