import { type AuthCollection, SUPERUSERS } from '../../collections/collection.ts'
import { badRequest } from '../../errors.ts'
import { checkCandidate } from '../../rules/candidate-check.ts'
import { asksToManage, checkAuthForm } from '../auth/auth-form.ts'
import { rotateTokenKey } from '../auth/auth-links.ts'
import { hashPasswords, hasNewPassword, OWN_WORK } from '../auth/passwords.ts'
import { checkValues } from './check-values.ts'
import { explainRejection, isEmptyObject, ruleHolds } from './explain.ts'
import type { Write } from './prepare-write.ts'
import { readRow } from './rows.ts'

/** Checks the form of an auth record and hashes new passwords. Throws 400 with field errors. */
export async function judge(write: Write): Promise<Write> {
  const { collection, prepared } = write
  if (collection.type === 'auth') await checkForm(write, collection)
  const values = hasNewPassword(collection, prepared) ? await hash(write) : write.values
  if (collection.type === 'auth') renewAuth({ ...write, values }, collection)
  return { ...write, values }
}

async function checkForm(write: Write, collection: AuthCollection): Promise<void> {
  const { request, values, stored, prepared, options } = write
  const draft = { values, passwords: prepared.passwords, ...(stored && { old: stored.old }) }
  const manages =
    request.auth?.isSuperuser === true ||
    (asksToManage(draft, request.body) && (await isManager(write, collection)))
  const errors = await checkAuthForm(draft, request.body, manages, options.passwordWork ?? OWN_WORK)
  if (!isEmptyObject(errors)) throw await explainRejection(write, errors, [])
}

async function isManager(
  { store, request, values, stored }: Write,
  collection: AuthCollection,
): Promise<boolean> {
  const { manageRule } = collection
  if (!manageRule || !request.auth) return false
  if (!stored) return ruleHolds(store, checkCandidate(store.catalog, collection, manageRule, values, request))
  return readRow(store, collection, String(stored.old.id), manageRule, request).then(
    () => true,
    () => false,
  )
}

/** The values with hashed passwords. A hash takes a core for 57 ms, so everything else is checked first. */
async function hash(write: Write) {
  const { store, collection, values, prepared, options, guard, failure } = write
  const { errors, conditions } = checkValues(write, { ...values })
  if (!isEmptyObject(errors)) throw await explainRejection(write, errors, conditions)
  if (!(await ruleHolds(store, guard))) throw badRequest(failure)
  return hashPasswords(collection, { ...prepared, values }, options.passwordWork ?? OWN_WORK)
}

/** A new password or email ends all tokens; superusers are always verified. */
function renewAuth({ values, stored, prepared }: Write, collection: AuthCollection): void {
  if (collection.name === SUPERUSERS) values.verified = true
  if (!stored || values.tokenKey !== stored.old.tokenKey) return
  if (prepared.passwords.password || values.email !== stored.old.email) rotateTokenKey(collection, values)
}
