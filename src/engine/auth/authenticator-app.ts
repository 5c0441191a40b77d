import { sql } from 'kysely'
import { badRequest } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import { sealSecret, unsealSecret } from '../../platform/db/secrets.ts'
import { readTypedCode } from '../../portable/typed-code.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthRecord } from '../request/request.ts'
import type { InSameTransaction } from './change-auth-record.ts'
import { lockProofState, readProofState } from './proof-state.ts'
import {
  countTry,
  deleteEmptyFactor,
  endStartedSignIns,
  FACTOR_PURPOSE,
  makeOwnerKey,
  makeRecoveryCodes,
  nameOwner,
  readPresentStep,
  WRONG_CODE,
} from './second-factor.ts'
import { clearAttempts } from './sign-in-limits.ts'
import { findTotpStep, makeTotpSecret } from './totp.ts'

// How a person begins, confirms and removes an authenticator app.

/** How long an app that is being set up may be confirmed. */
const PENDING_SECONDS = 3_600

const nameSetUpTries = (auth: AuthRecord) => `new second factor ${nameOwner(auth)}`

/**
 * Stores a new secret, which counts once a code of it was confirmed. `state`: the person's `readProofState`
 * before the proof. Throws 400 if there is an app.
 */
export async function startFactor(db: Db, auth: AuthRecord, state: string): Promise<string> {
  const secret = makeTotpSecret()
  const pending = await sealSecret(db, FACTOR_PURPOSE, `${nameOwner(auth)} ${state}`, secret)
  const begun = { pending, pending_until: writeTimeInSeconds(PENDING_SECONDS) }
  const { numInsertedOrUpdatedRows } = await queries(db)
    .insertInto('auth_factors')
    .values({ ...makeOwnerKey(auth), ...begun })
    .onConflict((found) =>
      found
        .columns(['collection', 'record'])
        .doUpdateSet(begun)
        .where('auth_factors.sealed', '=', ''),
    )
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw badRequest('You have an authenticator app already.')
  await clearAttempts(db, nameSetUpTries(auth))
  return secret
}

const NOTHING_PENDING =
  'No app is being set up, or your sign-in has changed since it was begun. Begin again.'

/**
 * Confirms the stored secret by a code of it. Returns the recovery codes. `also` runs in the transaction.
 * Throws 400, 429.
 */
export async function confirmFactor(
  { db, catalog }: Store,
  auth: AuthRecord,
  code: string,
  also: InSameTransaction,
): Promise<readonly string[]> {
  const before = await readProofState(db, auth)
  if (!(await findPending(db, auth, before))) throw badRequest(NOTHING_PENDING)
  await countTry(db, nameSetUpTries(auth))
  const { codes, recovery } = await makeRecoveryCodes(db, auth)
  await db.transaction(async (inside) => {
    const state = await lockProofState({ db: inside, catalog }, auth)
    const secret = await findPending(inside, auth, state)
    if (!secret) throw badRequest(NOTHING_PENDING)
    const step = findTotpStep(secret, readTypedCode(code), await readPresentStep(inside))
    if (!step) throw badRequest(WRONG_CODE)
    const sealed = await sealSecret(inside, FACTOR_PURPOSE, nameOwner(auth), secret)
    await queries(inside)
      .updateTable('auth_factors')
      .set({ sealed, pending: '', pending_until: null, last_step: step, recovery })
      .set({ confirmed_at: sql<Date>`coalesce(confirmed_at, now())` })
      .where(({ and }) => and(makeOwnerKey(auth)))
      .execute()
    await endStartedSignIns({ db: inside, catalog }, auth)
    await also(inside, auth)
  })
  await clearAttempts(db, nameSetUpTries(auth))
  return codes
}

/**
 * The secret that may be confirmed, and a lock on its row; undefined if there is none, or if it was begun
 * under another state.
 */
async function findPending(db: Db, auth: AuthRecord, state: string): Promise<string | undefined> {
  const found = await queries(db)
    .selectFrom('auth_factors')
    .select('pending')
    .where(({ and }) => and(makeOwnerKey(auth)))
    .where('pending_until', '>', sql<Date>`now()`)
    .forUpdate()
    .executeTakeFirst()
  if (!found?.pending) return undefined
  return unsealSecret(db, FACTOR_PURPOSE, `${nameOwner(auth)} ${state}`, found.pending)
}

/** Removes the authenticator app; with the last second factor, recovery codes end. */
export const removeApp = (
  { db, catalog }: Store,
  auth: AuthRecord,
  also: InSameTransaction,
): Promise<void> =>
  db.transaction(async (inside) => {
    await queries(inside)
      .updateTable('auth_factors')
      .set({ sealed: '', pending: '', last_step: 0 })
      .where(({ and }) => and(makeOwnerKey(auth)))
      .execute()
    await deleteEmptyFactor(inside, auth)
    await endStartedSignIns({ db: inside, catalog }, auth)
    await also(inside, auth)
  })
