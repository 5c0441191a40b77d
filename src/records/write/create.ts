import type { Store } from '../../collections/catalog.ts'
import { type Collection, SUPERUSERS } from '../../collections/collection.ts'
import { columnName, quote, tableName } from '../../collections/names.ts'
import { badRequest } from '../../errors.ts'
import { generateText } from '../../fields/types/autogenerate.ts'
import { now } from '../../fields/types/date.ts'
import { writeSorted } from '../../fields/values/json-text.ts'
import { FilterError } from '../../filter/errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import { ruleFor } from '../../rules/access.ts'
import { checkCandidate } from '../../rules/candidate-check.ts'
import { asksToManage, checkAuthForm } from '../auth/auth-form.ts'
import { hashPasswords, hasNewPassword, OWN_WORK, withoutHashes } from '../auth/passwords.ts'
import { changeLogCte } from '../changes.ts'
import { toRow } from '../columns.ts'
import type { Extension, Extensions } from '../extension.ts'
import { lockFreshAuth } from '../fresh-auth.ts'
import { storing } from '../input/files.ts'
import { blankValues, prepare, withBody } from '../input/prepare.ts'
import type { Prepared } from '../input/prepared.ts'
import { type FieldErrors, validate } from '../input/validate.ts'
import type { Values } from '../input/values.ts'
import { authConditions, type WriteOptions, writeWith } from '../input/write-options.ts'
import { Parameters, type SqlCondition, sqlType } from '../parameters.ts'
import { statementName } from '../select.ts'
import { answerWrite } from './answer-write.ts'
import { writeConditionsOf } from './conditions.ts'
import { explainRejection, isEmptyObject, NO_RULE, type RuleSql, ruleHolds } from './explain.ts'
import { uniqueViolationError } from './unique.ts'
import type { WriteCondition } from './write-condition.ts'

const FAILED = 'Failed to create record.'

/** A record to be created. */
interface Creation {
  readonly store: Store
  readonly collection: Collection
  /** With the body as rules see it. */
  readonly request: RequestInfo
  readonly prepared: Prepared
  readonly rule: string
  readonly options: WriteOptions
}

/**
 * Creates a record in a base or auth collection and returns its JSON. One round trip: rule and relations are
 * conditions of the insert; only a refused record needs another query. A collection with `beforeCreate` needs
 * a transaction. Throws 403, or 400 with field errors. PocketBase: apis/record_crud.go, recordCreate;
 * contract 4
 */
export async function createRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
  options: WriteOptions = {},
): Promise<string> {
  const rule = ruleFor(collection, 'createRule', request.auth)
  const extension = extensions.get(collection.id)
  const blank = blankValues(collection)
  const prepared = prepare(collection, blank, request.body, {
    isSuperuser: isSuperuser(request),
    uploads: options.uploads,
    isStrict: extension?.readsStrictly,
  })
  const creation = {
    store,
    collection,
    request: withBody(request, prepared.body),
    prepared,
    rule,
    options: storing(options, collection, prepared.values, prepared.uploads),
  }
  const hook = extension?.beforeCreate
  const { values, extra } = hook ? await createWithHook(creation, hook) : await createPlain(creation)
  const text = await answerWrite(store, collection, toRow(collection, values), creation.request)
  return extra && !isEmptyObject(extra) ? writeSorted({ ...JSON.parse(text), ...extra }) : text
}

const isSuperuser = ({ auth }: RequestInfo) => auth?.isSuperuser === true

async function createPlain(creation: Creation): Promise<{ values: Values; extra?: Record<string, unknown> }> {
  const values = await hash(creation, false)
  const guard = guardOf(creation, creation.rule, values)
  if (!guard) throw badRequest(FAILED)
  const { store, options } = creation
  const idOf = () => String(values.id)
  await writeWith(store, options, idOf, (inside) => save({ ...creation, store: inside }, values, guard))
  return { values }
}

async function createWithHook(creation: Creation, hook: NonNullable<Extension['beforeCreate']>) {
  // Passwords are hashed before the transaction, because it takes time.
  const values = await hash(creation, true)
  return creation.store.db.transaction(async (db) => {
    const store = { db, catalog: creation.store.catalog }
    const guard = guardOf(creation, creation.rule, values)
    if (!guard) throw badRequest(FAILED)
    // Checked before the hook, which may delete the caller's own record (the installer's superuser). Locked,
    // because an account may be taken over while its key is created: the key must be deleted with it or
    // refused.
    const { isAuthCached: remembered, locksAuth: held } = creation.options
    if (remembered || held) await lockFreshAuth(store, creation.request.auth)
    if (!(await ruleHolds(store, guard))) throw badRequest(FAILED)
    const extra = await hook(store, values, creation.request)
    const { hasRandomPassword = false } = creation.options
    await save({ ...creation, store, options: { hasRandomPassword } }, values, NO_RULE)
    await creation.options.inSameTransaction?.(store, String(values.id))
    return { values, extra }
  })
}

/** The values to store. Cheaper checks come first: a hash takes a core for 57 ms. */
async function hash(creation: Creation, hasHook: boolean): Promise<Values> {
  const { collection, prepared, request, options } = creation
  if (!hasNewPassword(collection, prepared)) return { ...prepared.values }
  try {
    await judge(creation, withoutHashes(collection, prepared), hasHook)
    return await hashPasswords(collection, prepared, options.passwordWork ?? OWN_WORK)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    if (isSuperuser(request)) return { ...prepared.values }
    throw badRequest(FAILED)
  }
}

/** Throws the error of an unmet rule or an invalid field; a hook may still correct fields. */
async function judge(creation: Creation, values: Values, hasHook: boolean): Promise<void> {
  const { store, rule } = creation
  const guard = guardOf(creation, rule, values)
  if (!guard) throw badRequest(FAILED)
  const { errors, conditions } = hasHook ? NO_FAULTS : await check(creation, values)
  if (!isEmptyObject(errors)) throw await explainRejection(store, FAILED, guard, errors, conditions)
  if (!(await ruleHolds(store, guard))) throw badRequest(FAILED)
}

/** A rule on the new record; undefined if it cannot hold or is invalid. */
function guardOf(
  { store, collection, request }: Creation,
  rule: string,
  values: Values,
): RuleSql | undefined {
  try {
    return checkCandidate(store.catalog, collection, rule, values, request)
  } catch (error) {
    if (error instanceof FilterError) return undefined
    throw error
  }
}

async function save(creation: Creation, values: Values, guard: RuleSql): Promise<void> {
  const { errors, conditions } = await check(creation, values)
  if (isEmptyObject(errors) && (await insert(creation, values, guard, conditions))) return
  throw await explainRejection(creation.store, FAILED, guard, errors, conditions)
}

/** Errors of a record and the conditions for the database. */
interface Checked {
  readonly errors: FieldErrors
  readonly conditions: readonly WriteCondition[]
}

const NO_FAULTS: Checked = { errors: {}, conditions: [] }

async function check(creation: Creation, values: Values): Promise<Checked> {
  const { store, collection, prepared, options } = creation
  const passwords = options.hasRandomPassword ? {} : prepared.passwords
  const draft = { values, passwords, uploads: prepared.uploads, unreadable: prepared.unreadable }
  const form = await formErrors(creation, values)
  complete(collection, values)
  if (!isEmptyObject(form)) return { errors: form, conditions: [] }
  const errors = validate(collection, draft)
  return { errors, conditions: writeConditionsOf(store.catalog, collection, values, true, errors) }
}

async function insert(
  { store, collection, request, options }: Creation,
  values: Values,
  guard: RuleSql,
  conditions: readonly WriteCondition[],
): Promise<boolean> {
  const parameters = new Parameters(guard.params)
  const rule = guard.condition ? [() => guard.condition] : []
  const asked = [...rule, ...authConditions(request.auth, options), ...conditions.map(({ sql }) => sql)]
  try {
    return await insertRecord(store, collection, values, parameters, asked)
  } catch (error) {
    throw uniqueViolationError(collection, FAILED, error)
  }
}

async function formErrors(creation: Creation, values: Values): Promise<FieldErrors> {
  const { collection, request, prepared } = creation
  if (collection.type !== 'auth') return {}
  const draft = { values, passwords: prepared.passwords }
  const manages =
    isSuperuser(request) || (asksToManage(draft, request.body) && (await isManager(creation, values)))
  return checkAuthForm(draft, request.body, manages, OWN_WORK)
}

async function isManager(creation: Creation, values: Values): Promise<boolean> {
  const { store, collection, request } = creation
  if (collection.type !== 'auth' || !collection.manageRule || !request.auth) return false
  const guard = guardOf(creation, collection.manageRule, values)
  return guard !== undefined && ruleHolds(store, guard)
}

/** Sets what the server determines: generated texts, autodates, verified superusers. */
function complete(collection: Collection, values: Values): void {
  const time = now()
  for (const field of collection.fields) {
    if (field.type === 'autodate' && field.onCreate) values[field.name] = time
    if (field.type === 'text' && field.autogeneratePattern && values[field.name] === '') {
      values[field.name] = generateText(field.autogeneratePattern)
    }
  }
  if (collection.name === SUPERUSERS) values.verified = true
}

/** Inserts a record if all conditions hold and logs it, in one round trip. False if one fails. */
async function insertRecord(
  store: Store,
  collection: Collection,
  values: Readonly<Values>,
  parameters: Parameters,
  conditions: readonly SqlCondition[],
): Promise<boolean> {
  const columns = collection.fields.map((field) => quote(columnName(field.name))).join(', ')
  const given = collection.fields
    .map((field) => parameters.add(values[field.name], sqlType(field)))
    .join(', ')
  const all = conditions.map((condition) => condition(parameters)).join(' and ')
  parameters.values.push(collection.id)
  const text = `with written as (insert into ${quote(tableName(collection))} (${columns}) select ${given}
    ${all && `where ${all}`} returning *),
    ${changeLogCte('written', 'create', parameters.values.length, 'noted', true)}
    select 1 from written`
  const { rows } = await store.db.query(text, parameters.values, statementName(store.catalog, text))
  return rows.length > 0
}
