import { ApiError, badRequest, makeFieldError } from '../../platform/api-errors.ts'
import { DEADLOCK, isSqlError, UNIQUE_VIOLATION } from '../../platform/db/database-errors.ts'
import type { Store } from '../collections/catalog.ts'
import { type Collection, DEVICES_ID, USERS_ID } from '../collections/collection.ts'
import { findViolatedFields } from '../collections/table-indexes.ts'
import type { Value } from '../fields/field.ts'
import type { FileOwner } from '../files/storage-limit.ts'
import { checkAuthFresh, lockFreshAuth, writeFreshAuthSql } from './check-auth-version.ts'
import { NO_CONDITION } from './check-rules.ts'
import { checkValues } from './check-write.ts'
import { explainRejection, isEmptyObject, testRule } from './explain-rejection.ts'
import { changeLogCte } from './log-changes.ts'
import type { StoredRecord } from './read-records.ts'
import { columnsOf, type Values } from './record-row.ts'
import { storeUploads } from './record-uploads.ts'
import { deleteInvalidSignIns } from './revoke-sign-ins.ts'
import { SqlParameters } from './sql-parameters.ts'
import { findStatementName } from './statement-name.ts'
import type { Checked, Write } from './write-in-progress.ts'

/** Another write changed the record after it was read. Nothing was stored: repeat the update. */
export class Conflict extends Error {
  override name = 'Conflict'
}

export type Extra = Readonly<Record<string, unknown>>

/** Runs the extension's hook, then stores record and files. Throws Conflict, or 400 with field errors. */
export async function storeRecord(write: Write): Promise<Extra> {
  const { store, collection, extension, values, stored, options, uploads } = write
  const isHooked = (stored ? extension?.beforeUpdate : extension?.beforeCreate) !== undefined
  const extra = isHooked
    ? await runWriteHook(write).catch((error) => throwRejection(error, write))
    : {}
  if (collection.type === 'auth' && stored)
    await deleteInvalidSignIns(store, collection, values, stored.old)
  // `runWriteHook` has already tested the caller and the rule
  const unconditional = { guard: NO_CONDITION, options: { ...options, isAuthCached: false } }
  await saveWrite(isHooked ? { ...write, ...unconditional } : write)
  const id = String(values.id)
  if (uploads.size > 0)
    await storeUploads(store, collection, id, values, uploads, findFileOwner(write))
  await options.inSameTransaction?.(store, id)
  return extra
}

function findFileOwner({ request: { auth }, options: { maxFileBytes = 0 } }: Write): FileOwner {
  const isUser = auth?.collection.id === USERS_ID
  const id = auth?.collection.id === DEVICES_ID ? String(auth.values.user) : isUser ? auth.id : ''
  return { id, maxBytes: maxFileBytes }
}

/** Runs the hook. Tests the caller and the rule before, because a hook may delete the caller's record. */
async function runWriteHook(write: Write): Promise<Extra> {
  const { store, extension, request, values, stored, options, guard, failure } = write
  if (stored) {
    if (options.isAuthCached) await checkAuthFresh(store, request.auth)
    return (await extension!.beforeUpdate!(store, values, stored.old, request)) ?? {}
  }
  // without the lock, an API key created while the account changes owner would stay valid
  if (options.isAuthCached !== undefined) await lockFreshAuth(store, request.auth)
  if (!(await testRule(store, guard))) throw badRequest(failure)
  return (await extension!.beforeCreate!(store, values, request)) ?? {}
}

/** Rethrows a hook's error; field errors get the message `failure`. */
function throwRejection(error: unknown, { failure }: Write): never {
  const isOfFields = error instanceof ApiError && error.status === 400 && !isEmptyObject(error.data)
  throw isOfFields ? badRequest(failure, error.data) : error
}

async function saveWrite(write: Write): Promise<void> {
  const checked = checkValues(write)
  if (Object.keys(checked.errors).length === 0 && (await writeRow(write, checked))) return
  const refusal = await explainRejection(write, checked)
  const isOvertaken = write.stored && isEmptyObject(refusal.data) && !write.options.locksRecord
  throw isOvertaken ? new Conflict() : refusal
}

async function writeRow(
  write: Write,
  { conditions, parameters: first }: Checked,
): Promise<boolean> {
  const { store, collection, values, stored, guard, request, options, failure } = write
  const parameters = new SqlParameters(first.values)
  const where = [
    ...(guard.condition ? [guard.condition] : []),
    ...conditions.map(({ sql }) => sql),
    ...(options.isAuthCached ? writeFreshAuthSql(request.auth, parameters) : []),
  ]
  try {
    if (stored)
      return await updateRow(
        store,
        collection,
        values,
        stored,
        where,
        parameters,
        options.mayDelete,
      )
    const { table, quoted, types } = columnsOf(collection)
    const inOrder = collection.fields.map(({ name }) => values[name])
    const given = parameters.addAll(inOrder, types)
    const condition = where.length > 0 ? `where ${where.join(' and ')}` : ''
    const sql = `insert into ${table} (${quoted.join(', ')}) select ${given.join(', ')} ${condition} returning *`
    return await runLoggedStatement(store, collection, sql, { action: 'create' }, parameters)
  } catch (error) {
    throw toUniqueError(collection, failure, error)
  }
}

/** Updates the record if it is unchanged since reading and all conditions hold. Returns whether it did. */
export function updateRow(
  store: Store,
  collection: Collection,
  values: Readonly<Values>,
  { old, version }: StoredRecord,
  conditions: readonly string[] = [],
  parameters = new SqlParameters(),
  mayDelete = false,
): Promise<boolean> {
  const { table, quoted, types } = columnsOf(collection)
  const assigned: string[] = []
  for (const [i, { name }] of collection.fields.entries())
    if (!isSameValue(values[name]!, old[name]!))
      assigned.push(`${quoted[i]} = ${parameters.add(values[name], types[i])}`)
  const isUnchanged = [
    `b.id = ${parameters.add(old.id)}`,
    `b.xmin::text = ${parameters.add(version)}`,
  ]
  const where = [...isUnchanged, ...conditions].join(' and ')
  const sql = `update ${table} b set ${assigned.join(', ') || 'id = b.id'} where ${where}`
  const log = { action: 'update', former: mayDelete ? table : undefined } as const
  return runLoggedStatement(store, collection, `${sql} returning b.*`, log, parameters)
}

async function runLoggedStatement(
  store: Store,
  collection: Collection,
  sql: string,
  { action, former }: { action: 'create' | 'update'; former?: string | undefined },
  { values }: SqlParameters,
): Promise<boolean> {
  values.push(collection.id)
  const text = `with written as (${sql}),
    ${changeLogCte(action, values.length, former)}
    select 1 from written`
  // a client chooses which fields it changes: such statements may not use up all names
  const name = findStatementName(store.catalog, text, action === 'update')
  const { rows } = await store.db.query(text, values, name)
  return rows.length > 0
}

function isSameValue(a: Value, b: Value): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b
  return a.length === b.length && a.every((text, i) => text === b[i])
}

/**
 * Turns an SQL error into a 400 that names fields of a violated unique index. Returns other errors as is,
 * and a deadlock, after which the transaction is repeated.
 */
export function toUniqueError(collection: Collection, message: string, error: unknown): unknown {
  if (!isSqlError(error) || error.code === DEADLOCK) return error
  if (error.code !== UNIQUE_VIOLATION || error.constraint === undefined) return badRequest(message)
  const fields = findViolatedFields(collection, error.constraint).toSorted()
  const taken = makeFieldError('validation_not_unique', 'Value must be unique')
  return badRequest(message, Object.fromEntries(fields.map((field) => [field, taken])))
}
