import { type AuthCollection, type Collection, type Store, USERS_ID } from '../collections/catalog.ts'
import { anyOf, queries } from '../db/queries.ts'
import { type FieldError, fieldError } from '../errors.ts'
import { hashPassword, verifyPassword } from '../fields/bcrypt.ts'
import { toText } from '../fields/cast.ts'
import { generateText } from '../fields/pattern.ts'
import { required } from '../fields/text.ts'
import type { Draft, FieldErrors, Prepared } from './prepare.ts'
import { changeLogCte, columnsOf, type Values } from './record-sql.ts'

/** Collections with sign-in data. `collectionRef` and `recordRef` of a record name its auth record. */
export const LINKED_COLLECTIONS = ['_authOrigins', '_externalAuths', '_mfas', '_otps'] as const
type Linked = (typeof LINKED_COLLECTIONS)[number]

/**
 * Deletes the sign-in data of the auth records `ids` from the collections `names`. Without `names`, deletes
 * from all of them, and sessions, too. Returns the number of deleted records, without sessions.
 */
export async function deleteLinks(
  store: Store,
  collection: Collection,
  ids: readonly string[],
  names: readonly Linked[] = LINKED_COLLECTIONS,
): Promise<number> {
  let dropped = 0
  if (names === LINKED_COLLECTIONS) await deleteSessions(store, collection, ids)
  for (const name of names) {
    const linked = store.catalog.find(name)!
    const { rows } = await store.db.query(
      `with written as (delete from ${columnsOf(linked).table}
        where "collectionRef" = $1::text and "recordRef" = any($2::text[]) returning *),
      ${changeLogCte('written', 'delete', 3)} select 1 from written`,
      [collection.id, ids, linked.id],
    )
    dropped += rows.length
  }
  return dropped
}

const END_BROWSERS = `
delete from push_subscriptions
where "user" = any($1::text[]) or sender in (select id from members where member = any($1::text[]))`

/** Deletes sessions and, of users, push subscriptions: a signed-out browser must not show received texts. */
async function deleteSessions({ db }: Store, owner: Collection, ids: readonly string[]): Promise<void> {
  await queries(db)
    .deleteFrom('auth_sessions')
    .where('collection', '=', owner.id)
    .where('record', '=', anyOf(ids))
    .execute()
  if (owner.id === USERS_ID) await db.query(END_BROWSERS, [ids])
}

export const invalidatesLinks = (values: Readonly<Values>, old: Readonly<Values>): boolean =>
  values.tokenKey !== old.tokenKey || values.password !== old.password || isUpgraded(values, old)

/** Whether the record becomes verified. Its earlier OAuth2 links may be a stranger's: they are deleted. */
const isUpgraded = (values: Readonly<Values>, old: Readonly<Values>) =>
  old.verified === false && values.verified === true

/** Deletes sign-in data that a write makes invalid, such as sessions. May renew `values.tokenKey`. */
export async function deleteInvalidLinks(
  store: Store,
  collection: AuthCollection,
  values: Values,
  old: Readonly<Values>,
): Promise<void> {
  const ids = [String(old.id)]
  const upgraded = isUpgraded(values, old)
  if (upgraded && (await deleteLinks(store, collection, ids, ['_externalAuths'])) > 0)
    rotateTokenKey(collection, values)
  if (values.password !== old.password) await deleteLinks(store, collection, ids, ['_mfas', '_authOrigins'])
  if (values.tokenKey === old.tokenKey) return
  await deleteLinks(store, collection, ids, ['_otps'])
  await deleteSessions(store, collection, ids)
}

/** Ends all tokens, sessions and started sign-ins of an auth record, without a realtime event for it. */
export async function endSignIns(store: Store, collection: AuthCollection, id: string): Promise<void> {
  const values: Values = {}
  rotateTokenKey(collection, values)
  const text = `update ${columnsOf(collection).table} set "tokenKey" = $2 where id = $1`
  await store.db.query(text, [id, values.tokenKey])
  await deleteLinks(store, collection, [id], ['_mfas', '_otps'])
  await deleteSessions(store, collection, [id])
}

export function rotateTokenKey(collection: AuthCollection, values: Values): void {
  const field = collection.fields.find(({ name }) => name === 'tokenKey')
  values.tokenKey = field?.type === 'text' ? generateText(field.autogeneratePattern) : ''
}

const mismatch = () => fieldError('validation_values_mismatch', "Values don't match")

const changedAddresses = ({ otp }: AuthCollection, { values, old }: Draft): readonly string[] =>
  ['email', ...(otp.channel ? [otp.channel.field] : [])].filter((name) => old && values[name] !== old[name])

/** Checks a submitted auth record. `manages`: the caller may change e.g. the email directly. Contract 4.8 */
export async function checkAuthForm(
  collection: AuthCollection,
  draft: Draft,
  body: Readonly<Record<string, unknown>>,
  manages: boolean,
  work: PasswordWork,
): Promise<FieldErrors> {
  const form = readForm(body)
  const { values, old } = draft
  const checks: Record<string, FieldError | undefined> = {
    ...(!manages &&
      Object.fromEntries(changedAddresses(collection, draft).map((name) => [name, mismatch()]))),
    verified: !manages && values.verified !== (old?.verified ?? false) ? mismatch() : undefined,
    password: checkPassword(form, !old),
    passwordConfirm: checkConfirm(form, !old),
    oldPassword: old && !manages ? await checkOldPassword(form, String(old.password), work) : undefined,
  }
  return Object.fromEntries(Object.entries(checks).filter(([, error]) => error)) as FieldErrors
}

/** Whether the body has changes that only a manager (manageRule) may make directly, such as a new email. */
export const asksToManage = (
  collection: AuthCollection,
  draft: Draft,
  body: Readonly<Record<string, unknown>>,
): boolean =>
  draft.values.verified !== (draft.old?.verified ?? false) ||
  changedAddresses(collection, draft).length > 0 ||
  (draft.old !== undefined && isPasswordGiven(readForm(body)))

function readForm(body: Readonly<Record<string, unknown>>) {
  const { password, passwordConfirm, oldPassword } = body
  return {
    password: toText(password),
    passwordConfirm: toText(passwordConfirm),
    oldPassword: toText(oldPassword),
  }
}

type Form = ReturnType<typeof readForm>

const isPasswordGiven = ({ password, passwordConfirm }: Form) => password !== '' || passwordConfirm !== ''

function checkPassword({ password, passwordConfirm, oldPassword }: Form, isNew: boolean) {
  return password === '' && (isNew || passwordConfirm !== '' || oldPassword !== '') ? required() : undefined
}

function checkConfirm({ password, passwordConfirm, oldPassword }: Form, isNew: boolean) {
  if (passwordConfirm === '' && (isNew || password !== '' || oldPassword !== '')) return required()
  return passwordConfirm === password ? undefined : mismatch()
}

async function checkOldPassword(form: Form, hash: string, work: PasswordWork) {
  if (!isPasswordGiven(form)) return undefined
  if (form.oldPassword === '') return required()
  if (await work.verify(form.oldPassword, hash)) return undefined
  return fieldError('validation_invalid_old_password', 'Missing or invalid old password')
}

export interface PasswordWork {
  hash(plain: string, cost: number): Promise<string>
  verify(plain: string, hash: string): Promise<boolean>
}

export const OWN_WORK: PasswordWork = { hash: hashPassword, verify: verifyPassword }

/** Remembers password hashes and comparisons of one write, to reuse them when the write is repeated. */
export class PasswordMemory {
  readonly #hashes = new Map<string, Promise<string>>()
  readonly #verdicts = new Map<string, Promise<boolean>>()

  /** Wraps `work` to remember its results. If `isLocked`, `verify` is false for anything not remembered. */
  over(work: PasswordWork, isLocked = false): PasswordWork {
    return {
      hash: (plain, cost) => remember(this.#hashes, `${cost} ${plain}`, () => work.hash(plain, cost)),
      verify: async (plain, hashed) => {
        const key = `${hashed} ${plain}`
        if (isLocked) return this.#verdicts.get(key) ?? false
        return remember(this.#verdicts, key, () => work.verify(plain, hashed))
      },
    }
  }
}

/** Returns the remembered promise or makes it. Forgets a promise that is rejected. */
function remember<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const value = known.get(key) ?? make()
  known.set(key, value)
  value.catch(() => known.delete(key))
  return value
}

/** The values with hashed passwords. Throws a RangeError for a password over 72 bytes. */
export async function hashPasswords(
  collection: Collection,
  { values, passwords }: Pick<Prepared, 'values' | 'passwords'>,
  work: PasswordWork,
): Promise<Values> {
  const hashed = { ...values }
  for (const field of collection.fields) {
    const plain = field.type === 'password' ? passwords[field.name] : ''
    if (plain && field.type === 'password') hashed[field.name] = await work.hash(plain, field.cost)
  }
  return hashed
}
