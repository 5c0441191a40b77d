import { type AuthCollection, type Collection, type Store, SUPERUSERS } from '../collections/catalog.ts'
import { badRequest, notFound } from '../errors.ts'
import { MAX_PASSWORD_BYTES } from '../fields/bcrypt.ts'
import { writeSorted } from '../fields/json-text.ts'
import type { RequestInfo } from '../request/request.ts'
import { checkCandidate, NO_CONDITION, ruleFor } from './access.ts'
import {
  asksToManage,
  checkAuthForm,
  hashPasswords,
  invalidatesLinks,
  OWN_WORK,
  rotateTokenKey,
} from './auth-records.ts'
import {
  checkValues,
  explainRejection,
  isEmptyObject,
  ruleHolds,
  type StoredRecord,
  type Write,
  type WriteOptions,
} from './check-values.ts'
import { deleteRecord } from './delete.ts'
import { type Extension, type Extensions, withWriteRule } from './extension.ts'
import { answerRecord } from './list.ts'
import { needsOldValues, type Prepared, prepare } from './prepare.ts'
import { byId, selectRows } from './read-rows.ts'
import { columnsOf, Parameters, toRow, toValues, type Values } from './record-sql.ts'
import { isRuleFault } from './render.ts'
import { type Extra, storeRecord } from './store.ts'

/** Applies the body and compiles the create rule. Throws 403, or 400 if the rule cannot hold. */
async function prepareCreate(
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
async function prepareUpdate(
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
async function readRow(
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

/** Creates a record and returns its JSON. Throws 403, StaleAuth, or 400 with field errors. Contract 4 */
export const createRecord = (
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
  options: WriteOptions = {},
): Promise<string> => write(prepareCreate(store, extensions, collection, request, options))

/** Updates a record and returns its JSON. Throws like `createRecord`; also 404 and Conflict. Contract 4 */
export function updateRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  request: RequestInfo,
  options: WriteOptions = {},
): Promise<string> {
  const update = (inside: Store) => write(prepareUpdate(inside, extensions, collection, id, request, options))
  if (!options.locksRecord) return update(store)
  return store.db.transaction((db) => update({ db, catalog: store.catalog }))
}

/** Creates, updates or deletes a record by the request's method. Returns its JSON, `null` after a delete. */
export async function writeRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  request: RequestInfo,
  options: WriteOptions,
): Promise<string> {
  if (request.method === 'POST') return write(prepareCreate(store, extensions, collection, request, options))
  if (request.method === 'PATCH') return updateRecord(store, extensions, collection, id, request, options)
  await deleteRecord(store, extensions, collection, id, request, options)
  return 'null'
}

/** Checks, stores and renders a prepared write, in a transaction if it needs several statements. */
async function write(prepared: Promise<Write>): Promise<string> {
  const judged = await judge(await prepared)
  const finish = async (inside: Write) => renderWrite(inside, await storeRecord(inside))
  if (isOneStatement(judged)) return finish(judged)
  const { catalog, db } = judged.store
  return db.transaction((tx) => finish({ ...judged, store: { db: tx, catalog } }))
}

/** Whether a write needs no transaction: it stores one row by one statement and expands no records. */
function isOneStatement({ collection, extension, options, request, uploads, values, stored }: Write) {
  const isHooked = stored ? extension?.beforeUpdate : extension?.beforeCreate
  if (isHooked || options.inSameTransaction || request.query.expand || uploads.size > 0) return false
  return !stored || collection.type !== 'auth' || !invalidatesLinks(values, stored.old)
}

async function judge(write: Write): Promise<Write> {
  const { collection, passwords } = write
  if (collection.type === 'auth') await checkForm(write, collection)
  const values = Object.values(passwords).some(Boolean) ? await hash(write) : write.values
  if (collection.type === 'auth') renewAuth({ ...write, values }, collection)
  return { ...write, values }
}

async function checkForm(write: Write, collection: AuthCollection): Promise<void> {
  const { request, values, passwords, stored, options, guard } = write
  const draft = { values, passwords, ...(stored && { old: stored.old }) }
  const manages =
    request.auth?.isSuperuser === true ||
    (asksToManage(collection, draft, request.body) && (await isManager(write, collection)))
  const errors = await checkAuthForm(
    collection,
    draft,
    request.body,
    manages,
    options.passwordWork?.() ?? OWN_WORK,
  )
  if (isEmptyObject(errors)) return
  throw await explainRejection(write, { errors, conditions: [], parameters: new Parameters(guard.params) })
}

async function isManager({ store, request, values, stored }: Write, collection: AuthCollection) {
  const { manageRule } = collection
  if (!manageRule || !request.auth) return false
  if (!stored) return ruleHolds(store, checkCandidate(store.catalog, collection, manageRule, values, request))
  const read = readRow(store, collection, String(stored.old.id), manageRule, request)
  return (await read.catch(() => undefined)) !== undefined
}

/** The values with hashed passwords. Checks everything else first: a hash takes 57 ms of a CPU core. */
async function hash(write: Write): Promise<Values> {
  const { store, collection, values, options, guard, failure } = write
  const checked = checkValues(write, { ...values })
  if (!isEmptyObject(checked.errors)) throw await explainRejection(write, checked)
  if (!(await ruleHolds(store, guard))) throw badRequest(failure)
  return hashPasswords(collection, write, options.passwordWork?.() ?? OWN_WORK)
}

/** After a new password or email, renews the tokenKey, which ends all tokens. Makes superusers verified. */
function renewAuth({ values, stored, passwords }: Write, collection: AuthCollection): void {
  if (collection.name === SUPERUSERS) values.verified = true
  if (!stored || values.tokenKey !== stored.old.tokenKey) return
  if (passwords.password || values.email !== stored.old.email) rotateTokenKey(collection, values)
}

/** The write is committed but rendering its answer failed (`cause`): the write must not be repeated. */
export class StoredWithoutAnswer extends Error {
  override name = 'StoredWithoutAnswer'
}

/** JSON of a written record. After a commit there is no size limit, and errors are StoredWithoutAnswer. */
async function renderWrite(write: Write, extra: Extra): Promise<string> {
  const { store, collection, values, request } = write
  const row = toRow(collection, values)
  if (store.db.inTransaction) {
    // an SQL error in a rule leaves out an expanded relation; without the savepoint it would undo the write
    const mayFail = Boolean(request.query.expand) || (collection.type === 'auth' && collection.manageRule)
    if (mayFail) await store.db.query('savepoint rendered')
    const text = await answerRecord(store, collection, row, request)
    if (mayFail) await store.db.query('rollback to savepoint rendered')
    return Object.keys(extra).length === 0 ? text : writeSorted({ ...JSON.parse(text), ...extra })
  }
  try {
    return await answerRecord(store, collection, row, { ...request, meter: undefined })
  } catch (error) {
    throw new StoredWithoutAnswer('The answer of a stored record failed', { cause: error })
  }
}
