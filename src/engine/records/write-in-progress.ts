import type { FieldError } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Uploads } from '../files/upload.ts'
import type { RequestInfo } from '../request/request.ts'
import type { CandidateRule } from './check-rules.ts'
import type { Extension } from './collection-extension.ts'
import type { PasswordWork } from './hash-passwords.ts'
import type { FieldErrors, Prepared } from './prepare.ts'
import type { StoredRecord } from './read-records.ts'
import type { SqlParameters } from './sql-parameters.ts'

export interface WriteOptions {
  readonly uploads?: Uploads
  /** Maximum bytes of all files of the caller's account; no limit if absent. */
  readonly maxFileBytes?: number
  /** Whether the caller's auth record is from a cache: the write then tests that it is current. */
  readonly isAuthCached?: boolean
  /** Locks the record before it is read: no other write can change it before this write ends. */
  readonly locksRecord?: boolean
  /** Whether the transaction may also delete records: the log of changes then keeps the row before, too. */
  readonly mayDelete?: boolean
  /** Whether the server generated the password: the field's rules for passwords then do not apply. */
  readonly hasRandomPassword?: boolean
  readonly passwordWork?: () => PasswordWork
  readonly inSameTransaction?: (store: Store, id: string) => Promise<void>
}

/** A create or an update in progress. Later stages still change `values`. */
export interface Write extends Prepared {
  readonly store: Store
  readonly collection: Collection
  readonly extension: Extension | undefined
  readonly request: RequestInfo
  readonly options: WriteOptions
  readonly stored?: StoredRecord
  /** The create rule, a condition of the INSERT. Empty for an update: reading the record tests its rule. */
  readonly guard: CandidateRule
  readonly failure: string
}

interface WriteCondition {
  readonly field: string
  readonly error: FieldError
  readonly sql: string
  readonly late: boolean
}

/** The result of checking a record: errors found, and conditions that the database must still test. */
export interface Checked {
  readonly errors: FieldErrors
  readonly conditions: WriteCondition[]
  readonly parameters: SqlParameters
}
