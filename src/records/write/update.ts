import type { Store } from '../../collections/catalog.ts'
import { type Collection, SUPERUSERS } from '../../collections/collection.ts'
import { quote, tableName } from '../../collections/names.ts'
import { badRequest, notFound } from '../../errors.ts'
import { now } from '../../fields/types/date.ts'
import { writeSorted } from '../../fields/values/json-text.ts'
import type { RequestInfo } from '../../request/request.ts'
import { ruleFor } from '../../rules/access.ts'
import { asksToManage, checkAuthForm } from '../auth/auth-form.ts'
import { deleteInvalidLinks, invalidatesLinks, rotateTokenKey } from '../auth/auth-links.ts'
import { hashPasswords, hasNewPassword, OWN_WORK } from '../auth/passwords.ts'
import { columnsOf, toRow, toValues } from '../columns.ts'
import type { Extensions } from '../extension.ts'
import { checkAuthFresh } from '../fresh-auth.ts'
import { storing } from '../input/files.ts'
import type { PasswordWork } from '../input/password-work.ts'
import { blankValues, needsOldValues, prepare, withBody } from '../input/prepare.ts'
import type { Prepared } from '../input/prepared.ts'
import { type FieldErrors, validate } from '../input/validate.ts'
import type { Values } from '../input/values.ts'
import { authConditions, type WriteOptions } from '../input/write-options.ts'
import { isRuleFault } from '../render/visibility.ts'
import { selectRows } from '../select.ts'
import { answerWrite } from './answer-write.ts'
import { writeConditionsOf } from './conditions.ts'
import { Conflict } from './conflict.ts'
import { explainRejection, isEmptyObject, NO_RULE } from './explain.ts'
import { uniqueViolationError } from './unique.ts'
import { type StoredRecord, updateRow } from './update-row.ts'
import type { WriteCondition } from './write-condition.ts'

const FAILED = 'Failed to update record.'

/** An update in progress. */
interface Update {
  readonly store: Store
  readonly extensions: Extensions
  readonly collection: Collection
  readonly id: string
  readonly request: RequestInfo
  readonly rule: string
  readonly options: WriteOptions
  readonly work: PasswordWork
}

/** An update whose record was found and allowed. */
interface Change extends Update, StoredRecord {
  readonly prepared: Prepared
  /** New values; passwords are hashed after the form was checked. */
  readonly values: Values
}

/**
 * Updates a record and returns its JSON. Two round trips: the old record under the updateRule, and the write.
 * One more if a rule needs a modifier resolved; a transaction for hooks, links of an auth record or files.
 * Throws 403, 404, 400 with field errors, StaleAuth, or Conflict if another write came in between (impossible
 * with `locksRecord`). PocketBase: apis/record_crud.go, recordUpdate; contract 4
 */
export async function updateRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  id: string,
  request: RequestInfo,
  options: WriteOptions = {},
): Promise<string> {
  const rule = ruleFor(collection, 'updateRule', request.auth)
  const work = options.passwordWork ?? OWN_WORK
  const update = { store, extensions, collection, id, request, rule, options, work }
  return options.locksRecord ? updateLocked(update) : updateOnce(update)
}

/** Locks the record against other writes. */
async function updateLocked(update: Update): Promise<string> {
  const { store, collection, id } = update
  try {
    return await store.db.transaction(async (db) => {
      await db.query(`select 1 from ${quote(tableName(collection))} where id = $1 for update`, [id])
      return updateOnce({ ...update, store: { db, catalog: store.catalog } })
    })
  } catch (error) {
    throw error instanceof Conflict ? badRequest(FAILED) : error
  }
}

const isSuperuser = ({ auth }: RequestInfo) => auth?.isSuperuser === true

async function updateOnce(update: Update): Promise<string> {
  const judged = await prepareChange(update)
  const form = await formErrors(judged)
  if (!isEmptyObject(form)) return refuse(judged, form, [])
  const change = { ...judged, values: await hash(judged) }
  const { store, collection, values, request } = change
  const extra = await saveWithHooks(change)
  const text = await answerWrite(store, collection, toRow(collection, values), request)
  return extra && !isEmptyObject(extra) ? writeSorted({ ...JSON.parse(text), ...extra }) : text
}

async function prepareChange(update: Update): Promise<Change> {
  const { collection, request, rule, options, extensions } = update
  const sending = {
    isSuperuser: isSuperuser(request),
    uploads: options.uploads,
    isStrict: extensions.get(collection.id)?.readsStrictly,
  }
  const lay = (old: Readonly<Values>) => prepare(collection, old, request.body, sending)
  const found = await find(
    update,
    rule,
    rule === '' ? request : withBody(request, (await bodyForRule(update, lay)).body),
  )
  const prepared = lay(found.old)
  return {
    ...update,
    ...found,
    request: withBody(request, prepared.body),
    prepared,
    values: prepared.values,
    options: storing(options, collection, prepared.values, prepared.uploads),
  }
}

/** The body as the rule sees it; the record is read only if needed. */
async function bodyForRule(update: Update, lay: (old: Readonly<Values>) => Prepared): Promise<Prepared> {
  const { collection, request, options } = update
  const needsOld = needsOldValues(collection, request.body, options.uploads)
  return lay(needsOld ? (await find(update, '', request)).old : blankValues(collection))
}

/** Reads the record under a rule. Throws 404 if there is none or the rule fails. */
async function find(
  { store, collection, id }: Update,
  rule: string,
  request: RequestInfo,
): Promise<StoredRecord> {
  const where = (position: number) => `b."id" = $${position}::text`
  try {
    const [row] =
      (await selectRows(store, {
        collection,
        rule,
        request,
        where,
        params: [id],
        extra: () => 'b.xmin::text',
        isLookUp: true,
      })) ?? []
    if (!row) throw notFound()
    return { old: toValues(collection, row), version: String(row[columnsOf(collection).count]) }
  } catch (error) {
    throw isRuleFault(error) ? notFound() : error
  }
}

/** The values to store. A hash takes a core for 57 ms, so field errors come first. */
async function hash(change: Change): Promise<Values> {
  const { store, collection, prepared, values, work } = change
  if (!hasNewPassword(collection, prepared)) return { ...values }
  const errors = fieldErrors(change)
  const conditions = writeConditionsOf(store.catalog, collection, values, false, errors)
  if (!isEmptyObject(errors)) return refuse(change, errors, conditions)
  try {
    return await hashPasswords(collection, prepared, work)
  } catch (error) {
    if (error instanceof RangeError) return { ...values }
    throw error
  }
}

async function formErrors(change: Change): Promise<FieldErrors> {
  const { collection, request, values, old, prepared } = change
  if (collection.type !== 'auth') return {}
  const draft = { values, old, passwords: prepared.passwords }
  const manages = isSuperuser(request) || (asksToManage(draft, request.body) && (await isManager(change)))
  return checkAuthForm(draft, request.body, manages, change.work)
}

async function isManager(change: Change): Promise<boolean> {
  const { collection, request } = change
  if (collection.type !== 'auth' || !collection.manageRule || !request.auth) return false
  const found = await find(change, collection.manageRule, request).catch((error: unknown) => error)
  return !(found instanceof Error)
}

async function saveWithHooks(change: Change): Promise<Record<string, unknown> | undefined> {
  const { store, extensions, collection, values, old, request, prepared } = change
  const hook = extensions.get(collection.id)?.beforeUpdate
  if (collection.type === 'auth') renewAuth(change)
  const ends = collection.type === 'auth' && invalidatesLinks({ values, old, passwords: prepared.passwords })
  if (!hook && !ends && !change.options.inSameTransaction) return void (await save(change))
  return store.db.transaction(async (db) => {
    const inside = { ...change, store: { db, catalog: store.catalog }, options: {} }
    if (change.options.isAuthCached) await checkAuthFresh(inside.store, request.auth)
    const extra = await hook?.(inside.store, values, old, request)
    if (collection.type === 'auth') await deleteInvalidLinks(inside.store, collection, values, old)
    await save(inside)
    await change.options.inSameTransaction?.(inside.store, change.id)
    return extra
  })
}

/** A new password or email ends all tokens; superusers are always verified. */
function renewAuth({ collection, values, old, prepared }: Change): void {
  if (collection.type !== 'auth') return
  if (collection.name === SUPERUSERS) values.verified = true
  const isRenewed = Boolean(prepared.passwords.password) || values.email !== old.email
  if (isRenewed && values.tokenKey === old.tokenKey) rotateTokenKey(collection, values)
}

async function save(change: Change): Promise<void> {
  const { store, collection, values } = change
  const time = now()
  for (const field of collection.fields) {
    if (field.type === 'autodate' && field.onUpdate) values[field.name] = time
  }
  const errors = fieldErrors(change)
  const conditions = writeConditionsOf(store.catalog, collection, values, false, errors)
  if (isEmptyObject(errors) && (await write(change, conditions))) return
  await refuse(change, errors, conditions)
}

function fieldErrors({ collection, values, old, prepared }: Change): FieldErrors {
  const { passwords, uploads, unreadable } = prepared
  return validate(collection, { values, old, passwords, uploads, unreadable })
}

async function write(change: Change, conditions: readonly WriteCondition[]): Promise<boolean> {
  const { store, collection, values, request, options } = change
  const asked = [...authConditions(request.auth, options), ...conditions.map(({ sql }) => sql)]
  try {
    return await updateRow(store, collection, values, change, asked)
  } catch (error) {
    throw uniqueViolationError(collection, FAILED, error)
  }
}

/** Throws the reason of the refusal; without one another write was faster. */
async function refuse(
  { store }: Change,
  errors: FieldErrors,
  conditions: readonly WriteCondition[],
): Promise<never> {
  const refusal = await explainRejection(store, FAILED, NO_RULE, errors, conditions)
  throw isEmptyObject(refusal.data) ? new Conflict() : refusal
}
