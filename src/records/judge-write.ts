import { type AuthCollection, SUPERUSERS } from '../collections/catalog.ts'
import { badRequest } from '../errors.ts'
import { checkCandidate } from './access.ts'
import { asksToManage, checkAuthForm } from './auth-form.ts'
import { checkValues } from './check-values.ts'
import { explainRejection, isEmptyObject, ruleHolds } from './explain-rejection.ts'
import { hashPasswords, OWN_WORK } from './password-work.ts'
import { readRow } from './prepare-write.ts'
import { Parameters, type Values } from './record-sql.ts'
import { rotateTokenKey } from './sign-in-data.ts'
import type { Write } from './write-in-progress.ts'

export async function judge(write: Write): Promise<Write> {
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
