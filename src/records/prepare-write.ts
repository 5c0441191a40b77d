import type { Collection, Store } from '../collections/catalog.ts'
import { badRequest, notFound } from '../errors.ts'
import { MAX_PASSWORD_BYTES } from '../fields/bcrypt.ts'
import type { RequestInfo } from '../request/request.ts'
import { checkCandidate, NO_CONDITION, ruleFor } from './access.ts'
import { type Extension, type Extensions, withWriteRule } from './extension.ts'
import { needsOldValues, type Prepared, prepare } from './prepare.ts'
import { byId, selectRows } from './read-rows.ts'
import { columnsOf, toValues, type Values } from './record-sql.ts'
import { isRuleFault } from './rule-faults.ts'
import type { StoredRecord, Write, WriteOptions } from './write-in-progress.ts'

/** Applies the body and compiles the create rule. Throws 403, or 400 if the rule cannot hold. */
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
  // as in PocketBase: a password that is too long to hash is refused before `rule`, without naming its field
  const isLost = !asked.auth?.isSuperuser && Object.values(prepared.passwords).some(isTooLong)
  const guard = isLost ? undefined : checkCandidate(store.catalog, collection, rule, prepared.values, request)
  if (!guard) throw badRequest(failure)
  return { ...prepared, store, collection, extension, request, options, guard, failure }
}

const isTooLong = (password: string) => Buffer.byteLength(password) > MAX_PASSWORD_BYTES

/** Reads the record to update, if the rule allows it, and applies the body. Throws 403, 404. */
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
  // the body as API rules see it; a modifier such as `name+` needs the stored values
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

/** Reads a record if the rule allows it. Throws 404 if not, or if the rule fails with an error. */
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
