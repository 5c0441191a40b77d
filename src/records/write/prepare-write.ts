import type { Store } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { quote, tableName } from '../../collections/names.ts'
import { badRequest } from '../../errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import { ruleFor } from '../../rules/access.ts'
import { type CandidateCheck, checkCandidate, NO_CONDITION } from '../../rules/candidate-check.ts'
import { isTooLong, withoutHashes } from '../auth/passwords.ts'
import type { Extension, Extensions } from '../extension.ts'
import { blankValues, needsOldValues, prepare, withBody } from '../input/prepare.ts'
import type { Prepared } from '../input/prepared.ts'
import type { Values } from '../input/values.ts'
import type { WriteOptions } from '../input/write-options.ts'
import { readRow, type StoredRecord } from './rows.ts'

/** A create or an update on its way through the stages. */
export interface Write {
  readonly store: Store
  readonly collection: Collection
  readonly extension: Extension | undefined
  /** With the body as rules see it. */
  readonly request: RequestInfo
  readonly options: WriteOptions
  readonly prepared: Prepared
  /** The record to store, which the stages complete. `judge` puts the hashes of new passwords into it. */
  readonly values: Values
  /** The record before an update. */
  readonly stored?: StoredRecord
  /** The rule of a create, a condition of its insert. An update's has been tested. */
  readonly guard: CandidateCheck
  /** Message of a refusal. */
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
  const prepared = applyBody(collection, extension, blankValues(collection), asked, options)
  const request = withBody(asked, prepared.body)
  const values = withoutHashes(collection, prepared)
  // PocketBase hashes a password before it tests the rule, and names no field when that fails
  const isLost = isTooLong(collection, prepared) && !asked.auth?.isSuperuser
  const guard = isLost ? undefined : checkCandidate(store.catalog, collection, rule, values, request)
  if (!guard) throw badRequest(failure)
  return { store, collection, extension, request, options, prepared, values, guard, failure }
}

/** Reads the record of an update under its rule and applies the body. Throws 403, 404. */
export async function prepareUpdate(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  asked: RequestInfo,
  options: WriteOptions,
): Promise<Write> {
  const rule = ruleFor(collection, 'updateRule', asked.auth)
  const extension = extensions.get(collection.id)
  const apply = (old: Readonly<Values>) => applyBody(collection, extension, old, asked, options)
  const read = (rule: string, request: RequestInfo) => readRow(store, collection, id, rule, request)
  // the body as the rule sees it; only some modifiers need the record for it
  const seen = async () =>
    needsOldValues(collection, asked.body, options.uploads)
      ? apply((await read('', asked)).old)
      : apply(blankValues(collection))
  if (options.locksRecord)
    await store.db.query(`select 1 from ${quote(tableName(collection))} where id = $1 for update`, [id])
  const stored = await read(rule, rule === '' ? asked : withBody(asked, (await seen()).body))
  const prepared = apply(stored.old)
  return {
    ...{ store, collection, extension, options, prepared, stored },
    request: withBody(asked, prepared.body),
    values: withoutHashes(collection, prepared),
    guard: NO_CONDITION,
    failure: 'Failed to update record.',
  }
}

const applyBody = (
  collection: Collection,
  extension: Extension | undefined,
  base: Readonly<Values>,
  { auth, body }: RequestInfo,
  { uploads }: WriteOptions,
): Prepared =>
  prepare(collection, base, body, {
    isSuperuser: auth?.isSuperuser === true,
    uploads,
    isStrict: extension?.readsStrictly,
  })
