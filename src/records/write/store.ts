import { badRequest } from '../../errors.ts'
import { NO_CONDITION } from '../../rules/candidate-check.ts'
import { deleteInvalidLinks, invalidatesLinks } from '../auth/auth-links.ts'
import { checkAuthFresh, lockFreshAuth } from '../fresh-auth.ts'
import { storeUploads } from '../input/files.ts'
import { authConditions } from '../input/write-options.ts'
import { Parameters } from '../parameters.ts'
import { checkValues } from './check-values.ts'
import type { WriteCondition } from './conditions.ts'
import { explainRejection, isEmptyObject, ruleHolds } from './explain.ts'
import type { Write } from './prepare-write.ts'
import { insertRow, updateRow } from './rows.ts'
import { uniqueViolationError } from './unique.ts'

/** Another write changed the record between read and write. Nothing was stored: repeat the update. */
export class Conflict extends Error {
  override name = 'Conflict'
}

/** What a hook adds to the answer. */
export type Extra = Readonly<Record<string, unknown>>

const hasHook = ({ extension, stored }: Write): boolean =>
  (stored ? extension?.beforeUpdate : extension?.beforeCreate) !== undefined

const endsLinks = ({ collection, values, stored, prepared }: Write): boolean =>
  collection.type === 'auth' &&
  invalidatesLinks({ values, passwords: prepared.passwords, ...(stored && { old: stored.old }) })

/** Whether a write needs no transaction: it stores one row, and its answer cannot fail. */
export const isOneStatement = (write: Write): boolean =>
  !hasHook(write) &&
  !endsLinks(write) &&
  !write.options.inSameTransaction &&
  !write.request.query.expand &&
  write.prepared.uploads.size === 0

/** Runs hooks and stores the record with all that belongs to it. Throws 400 with field errors, Conflict. */
export async function storeRecord(write: Write): Promise<Extra> {
  const { store, collection, values, stored, options, prepared } = write
  const isHooked = hasHook(write)
  const extra = isHooked ? await runHook(write) : {}
  if (collection.type === 'auth' && stored) await deleteInvalidLinks(store, collection, values, stored.old)
  // before a hook, caller and rule have been tested
  const unconditional = { guard: NO_CONDITION, options: { ...options, isAuthCached: false } }
  await save(isHooked ? { ...write, ...unconditional } : write)
  const id = String(values.id)
  await storeUploads(store, collection, id, values, prepared.uploads)
  await options.inSameTransaction?.(store, id)
  return extra
}

/** The caller and the rule are tested before: a hook may delete the caller's record (the installer's). */
async function runHook(write: Write): Promise<Extra> {
  const { store, extension, request, values, stored, options, guard, failure } = write
  if (stored) {
    if (options.isAuthCached) await checkAuthFresh(store, request.auth)
    return extension!.beforeUpdate!(store, values, stored.old, request)
  }
  // locked, or a key could be created while its account is taken over, and outlive that
  if (options.isAuthCached !== undefined) await lockFreshAuth(store, request.auth)
  if (!(await ruleHolds(store, guard))) throw badRequest(failure)
  return extension!.beforeCreate!(store, values, request)
}

async function save(write: Write): Promise<void> {
  const { errors, conditions } = checkValues(write, write.values)
  if (isEmptyObject(errors) && (await writeRow(write, conditions))) return
  const refusal = await explainRejection(write, errors, conditions)
  const isOvertaken = write.stored && isEmptyObject(refusal.data) && !write.options.locksRecord
  throw isOvertaken ? new Conflict() : refusal
}

async function writeRow(write: Write, conditions: readonly WriteCondition[]): Promise<boolean> {
  const { store, collection, values, stored, guard, request, options, failure } = write
  const asked = [...authConditions(request.auth, options), ...conditions.map(({ sql }) => sql)]
  try {
    if (stored) return await updateRow(store, collection, values, stored, asked)
    const rule = guard.condition ? [() => guard.condition] : []
    return await insertRow(store, collection, values, new Parameters(guard.params), [...rule, ...asked])
  } catch (error) {
    throw uniqueViolationError(collection, failure, error)
  }
}
