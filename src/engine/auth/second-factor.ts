import { sql } from 'kysely'
import { badRequest, tooManyTries } from '../../platform/api-errors.ts'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { hashWithKey, unsealSecret } from '../../platform/db/secrets.ts'
import { makeRandomLetters } from '../../platform/tools/random.ts'
import { readTypedCode, readTypedLetters } from '../../portable/typed-code.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { deleteSignIns } from '../records/revoke-sign-ins.ts'
import type { AuthRecord } from '../request/request.ts'
import { clearAttempts, countSignInTry } from './sign-in-limits.ts'
import { APP_CODE, DRIFT, findTotpStep, readTotpStep } from './totp.ts'

// The second factor of a person: an authenticator app (TOTP), passkeys, and recovery codes, each good for one
// sign-in. A person has a second factor while the row in auth_factors is confirmed.

/** The purpose of the key that seals secrets of apps. */
export const FACTOR_PURPOSE = 'second factor'
const RECOVERY_CODES = 10
const RECOVERY_LENGTH = 12
const RECOVERY_CODE = /^[a-z]{12}$/
/** Wrong codes of a person in an hour, from all networks. Only those with the password can use them up. */
const MAX_TRIES = 10
const TRIES_SECONDS = 3_600

/** Names a person in keys of seals and of counted tries. */
export const nameOwner = ({ collection, id }: AuthRecord) => `${collection.id} ${id}`

/** The columns of a person's rows in `auth_factors` and `auth_passkeys`. */
export const makeOwnerKey = ({ collection, id }: AuthRecord) => ({
  collection: collection.id,
  record: id,
})

export async function hasFactor(db: Db, auth: AuthRecord): Promise<boolean> {
  const found = await queries(db)
    .selectFrom('auth_factors')
    .select('record')
    .where(({ and }) => and(makeOwnerKey(auth)))
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  return found !== undefined
}

export async function hasFactors(db: Db, { id }: Collection): Promise<boolean> {
  const found = await queries(db)
    .selectFrom('auth_factors')
    .select('record')
    .where('collection', '=', id)
    .where('confirmed_at', 'is not', null)
    .limit(sql.lit(1))
    .executeTakeFirst()
  return found !== undefined
}

/**
 * When the person got a second factor, in PocketBase's format; whether there is an authenticator app; and how
 * many recovery codes are left.
 */
export async function readFactor(db: Db, auth: AuthRecord) {
  const found = await queries(db)
    .selectFrom('auth_factors')
    .select([
      sql<string>`pb_text(confirmed_at)`.as('since'),
      sql<boolean>`sealed <> ''`.as('hasApp'),
      sql<number>`cardinality(recovery)`.as('recoveryCodes'),
      sql<boolean>`exists (select from auth_passkeys p where p.collection = auth_factors.collection and p.record = auth_factors.record)`.as(
        'hasPasskey',
      ),
    ])
    .where(({ and }) => and(makeOwnerKey(auth)))
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  return found ?? { since: '', hasApp: false, hasPasskey: false, recoveryCodes: 0 }
}

export const WRONG_CODE = 'This code is wrong or was used. Enter the one that your app shows now.'
const WRONG_RECOVERY_CODE = 'This recovery code is wrong or was used.'

/** Ends the sign-ins of a person that wait for a second method: the methods have changed. */
export const endStartedSignIns = (store: Store, { collection, id }: AuthRecord) =>
  deleteSignIns(store, collection, [id], ['_mfas', '_otps'])

/** The time step by the clock of the database: the clocks of servers may differ. */
export const readPresentStep = async (db: Db): Promise<number> =>
  readTotpStep(
    await evaluateSql(db, sql<number>`extract(epoch from clock_timestamp())::float8 * 1000`),
  )

/** New recovery codes, as people copy them, and their hashes. */
export async function makeRecoveryCodes(db: Db, auth: AuthRecord) {
  const codes = Array.from({ length: RECOVERY_CODES }, () => makeRandomLetters(RECOVERY_LENGTH))
  const recovery = await Promise.all(codes.map((one) => hashRecoveryCode(db, auth, one)))
  return { codes: codes.map((one) => one.replace(/.{4}(?=.)/g, '$&-')), recovery }
}

/** Notes that a person has a passkey. Returns recovery codes if it is the first second factor, else []. */
export async function protectPerson(db: Db, auth: AuthRecord): Promise<readonly string[]> {
  const { codes, recovery } = await makeRecoveryCodes(db, auth)
  const confirmed_at = sql<Date>`now()`
  const { numInsertedOrUpdatedRows = 0n } = await queries(db)
    .insertInto('auth_factors')
    .values({ ...makeOwnerKey(auth), confirmed_at, recovery })
    .onConflict((found) =>
      found
        .columns(['collection', 'record'])
        .doUpdateSet({ confirmed_at, recovery })
        .where('auth_factors.confirmed_at', 'is', null),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n ? codes : []
}

/** Deletes the row of a person who has neither an app nor a passkey any more. */
export async function deleteEmptyFactor(db: Db, auth: AuthRecord): Promise<void> {
  // the lock makes two concurrent removals see each other
  await queries(db)
    .selectFrom('auth_factors')
    .select('record')
    .where(({ and }) => and(makeOwnerKey(auth)))
    .forUpdate()
    .execute()
  await queries(db)
    .deleteFrom('auth_factors')
    .where(({ and }) => and({ ...makeOwnerKey(auth), sealed: '' }))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('auth_passkeys')
            .select('id')
            .where(({ and }) => and(makeOwnerKey(auth))),
        ),
      ),
    )
    .execute()
}

/**
 * Uses up a code of the app or a recovery code, and returns which it was. Throws 400 for a wrong or used one,
 * 429 after too many. What cannot be a code counts as no try.
 */
export async function requireFactorCode(
  db: Db,
  auth: AuthRecord,
  code: string,
): Promise<'totp' | 'recovery'> {
  const letters = readTypedLetters(code)
  const digits = readTypedCode(code)
  const isRecovery = RECOVERY_CODE.test(letters)
  if (!isRecovery && !APP_CODE.test(digits)) throw badRequest(WRONG_CODE)
  await countTry(db, nameTries(auth))
  const isUsed = isRecovery
    ? await useRecoveryCode(db, auth, letters)
    : await useAppCode(db, auth, digits)
  if (!isUsed) throw badRequest(isRecovery ? WRONG_RECOVERY_CODE : WRONG_CODE)
  await clearAttempts(db, nameTries(auth))
  return isRecovery ? 'recovery' : 'totp'
}

async function useAppCode(db: Db, auth: AuthRecord, digits: string): Promise<boolean> {
  const secret = await findSecret(db, auth)
  if (!secret) return false
  const now = await readPresentStep(db)
  const step = findTotpStep(secret, digits, now)
  return step ? useStep(db, auth, step, now) : false
}

const nameTries = (auth: AuthRecord) => `second factor ${nameOwner(auth)}`

/** Counts a try of a code. Throws 429 after too many. */
export async function countTry(db: Db, key: string): Promise<void> {
  const wait = await countSignInTry(db, key, MAX_TRIES, TRIES_SECONDS)
  if (wait > 0) throw tooManyTries(wait, 'Too many codes were tried. Please try again later.')
}

const hashRecoveryCode = (db: Db, auth: AuthRecord, code: string) =>
  hashWithKey(db, FACTOR_PURPOSE, `${nameOwner(auth)} ${code}`)

/** The secret of the person's app; undefined if there is none. */
async function findSecret(db: Db, auth: AuthRecord): Promise<string | undefined> {
  const found = await queries(db)
    .selectFrom('auth_factors')
    .select('sealed')
    .where(({ and }) => and(makeOwnerKey(auth)))
    .executeTakeFirst()
  return found?.sealed ? unsealSecret(db, FACTOR_PURPOSE, nameOwner(auth), found.sealed) : undefined
}

/**
 * Uses up a time step: no server accepts a code of it, or of an earlier one, again. A stored step that the
 * present cannot have reached is of a clock that was wrong, and counts for nothing.
 */
async function useStep(db: Db, auth: AuthRecord, step: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await queries(db)
    .updateTable('auth_factors')
    .set({ last_step: step })
    .where(({ and }) => and(makeOwnerKey(auth)))
    .where('sealed', '<>', '')
    .where(({ or, eb }) => or([eb('last_step', '<', step), eb('last_step', '>', now + DRIFT)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function useRecoveryCode(db: Db, auth: AuthRecord, code: string): Promise<boolean> {
  const used = await hashRecoveryCode(db, auth, code)
  const { numUpdatedRows } = await queries(db)
    .updateTable('auth_factors')
    .set({ recovery: sql<string[]>`array_remove(recovery, ${used})` })
    .where(({ and }) => and(makeOwnerKey(auth)))
    .where('confirmed_at', 'is not', null)
    .where(sql<boolean>`${used} = any(recovery)`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
