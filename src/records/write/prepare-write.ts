import type { Collection, Store } from '../../collections/catalog.ts'
import { badRequest, notFound } from '../../errors.ts'
import { MAX_PASSWORD_BYTES } from '../../fields/values/bcrypt.ts'
import type { Uploads } from '../../files/upload.ts'
import type { RequestInfo } from '../../request/request.ts'
import { type CandidateCheck, checkCandidate, NO_CONDITION, ruleFor } from '../../rules/access.ts'
import type { PasswordWork } from '../auth/passwords.ts'
import { columnsOf, toValues, type Values } from '../columns.ts'
import { type Extension, type Extensions, withWriteRule } from '../extension.ts'
import { needsOldValues, type Prepared, prepare } from '../input/prepare.ts'
import { byId, selectRows } from '../read-rows.ts'
import { isRuleFault } from '../render/render.ts'

export interface WriteOptions {
  readonly uploads?: Uploads
  /** Maximum bytes of all files of the caller's account; no limit if absent. */
  readonly maxFileBytes?: number
  /** Whether the caller comes from a cache: the write then tests its version. Absent: no check. */
  readonly isAuthCached?: boolean
  /** Locks the record before reading it, so that no other write comes in between. */
  readonly locksRecord?: boolean
  /** Whether the server made the password, so that the field's password rules do not apply. */
  readonly hasRandomPassword?: boolean
  readonly passwordWork?: () => PasswordWork
  readonly inSameTransaction?: (store: Store, id: string) => Promise<void>
}

/** A record as read: values and `xmin`, which every write changes. */
export interface StoredRecord {
  readonly old: Readonly<Values>
  readonly version: string
}

/** A create or an update. The stages of `write` complete its `values`. */
export interface Write extends Prepared {
  readonly store: Store
  readonly collection: Collection
  readonly extension: Extension | undefined
  readonly request: RequestInfo
  readonly options: WriteOptions
  readonly stored?: StoredRecord
  /** The rule of a create, a condition of its insert. An update's rule was tested by reading its record. */
  readonly guard: CandidateCheck
  readonly failure: string
}

/** Applies the body of a create. Throws 403; 400 for a rule that cannot hold. */
export async function prepareCreate(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  asked: RequestInfo,
  options: WriteOptions,
): Promise<Write> {
  const failure = 'Failed to create record.'
  const rule = ruleFor(collection, 'createRule', asked.auth)
  const extension = extensions.get(collection.id)
  const prepared = applyBody(collection, extension, asked, options)
  const request = { ...asked, body: prepared.body }
  // PocketBase hashes a password before it tests the rule, and names no field when that fails
  const isLost = !asked.auth?.isSuperuser && Object.values(prepared.passwords).some(isTooLong)
  const guard = isLost ? undefined : checkCandidate(store.catalog, collection, rule, prepared.values, request)
  if (!guard) throw badRequest(failure)
  return { ...prepared, store, collection, extension, request, options, guard, failure }
}

const isTooLong = (password: string) => Buffer.byteLength(password) > MAX_PASSWORD_BYTES

/** Reads the record to update under its rule and applies the body. Throws 403, 404. */
export async function prepareUpdate(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  asked: RequestInfo,
  options: WriteOptions,
): Promise<Write> {
  const extension = extensions.get(collection.id)
  const rule = withWriteRule(ruleFor(collection, 'updateRule', asked.auth), extension, asked.auth)
  const apply = (old?: Readonly<Values>) => applyBody(collection, extension, asked, options, old)
  const read = (rule: string, request: RequestInfo) => readRow(store, collection, id, rule, request)
  // the body as the rule sees it; the record is read first if a modifier needs it
  const seen = async () =>
    apply(needsOldValues(collection, asked.body, options.uploads) ? (await read('', asked)).old : undefined)
  if (options.locksRecord)
    await store.db.query(`select 1 from ${columnsOf(collection).table} where id = $1 for update`, [id])
  const stored = await read(rule, rule === '' ? asked : { ...asked, body: (await seen()).body })
  const prepared = apply(stored.old)
  return {
    ...{ ...prepared, store, collection, extension, options, stored },
    request: { ...asked, body: prepared.body },
    guard: NO_CONDITION,
    failure: 'Failed to update record.',
  }
}

const applyBody = (
  collection: Collection,
  extension: Extension | undefined,
  { auth, body }: RequestInfo,
  { uploads }: WriteOptions,
  base?: Readonly<Values>,
): Prepared =>
  prepare(collection, body, {
    base,
    isSuperuser: auth?.isSuperuser === true,
    uploads,
    isStrict: extension?.readsStrictly,
  })

/** Reads a record under a rule. Throws 404 if there is none or the rule fails. */
export async function readRow(
  store: Store,
  collection: Collection,
  id: string,
  rule: string,
  request: RequestInfo,
): Promise<StoredRecord> {
  const extra = () => 'b.xmin::text'
  try {
    const [row] = await selectRows(store, { collection, rule, request, ...byId(id), extra, isLookUp: true })
    if (!row) throw notFound()
    return { old: toValues(collection, row), version: String(row[columnsOf(collection).count]) }
  } catch (error) {
    throw isRuleFault(error) ? notFound() : error
  }
}
