import { sql } from 'kysely'
import { ApiError, tooManyTries } from '../../platform/api-errors.ts'
import type { Config } from '../../platform/config.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { makeGuestHolder, OverLimit, toNetwork } from '../../platform/limits/limit-holder.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import type { AuthAttempt } from './auth-services.ts'
import { hashSha256 } from './tokens.ts'

const WINDOW_SECONDS = 600

/** Maximum wrong attempts: per account and address, per address, per account from all unknown addresses. */
const signInLimits = (tries: number) => [tries, scaleForAddress(tries), tries * 10]
const scaleForAddress = (tries: number) => tries * 15
/** Maximum requests for mails, successful or not: per account and address, per address, per account. */
const MAIL_LIMITS = [15, 300, 60]

/** How long an address that signed in to an account is exempt from the limit per account. */
const KNOWN_DAYS = 90

/**
 * Runs `check`, which throws 400 for a wrong password or code. Counts failures by account and address; throws
 * 429 after too many. Sign-ins from networks known for the account wait in a queue of their own.
 */
export async function limitSignInAttempts<T>(
  signInAttempt: AuthAttempt,
  check: () => Promise<T>,
): Promise<T> {
  const { signInTries } = signInAttempt.config
  if (signInTries === 0) return check()
  const { db } = signInAttempt
  const { keys, exempt } = makeCounterKeys('sign in', signInAttempt)
  const isKnown = await hasAttempt(db, exempt)
  const attempt = async () => {
    await requireTries(db, keys, signInLimits(signInTries), WINDOW_SECONDS, exempt)
    try {
      const result = await check()
      await uncountAttempts(db, keys, exempt, KNOWN_DAYS)
      return result
    } catch (error) {
      // other errors (database unavailable, too many checks at a time) do not mean a wrong password
      if (!(error instanceof ApiError) || error instanceof OverLimit || error.status >= 500)
        await uncountAttempts(db, keys, exempt).catch(() => {})
      throw error
    }
  }
  const places = isKnown ? admission.knownSignIns : admission.signIns
  return places.run(makeGuestHolder(signInAttempt.ip), attempt)
}

/** Counts a password hash made for `holder` (an account or network). Throws 429 after too many. */
export async function limitPasswordHashes(
  db: Db,
  { signInTries }: Pick<Config, 'signInTries'>,
  holder: string,
) {
  if (signInTries === 0) return
  await requireTries(db, [`hash of ${holder}`], [scaleForAddress(signInTries)])
}

/** Counts a request for a mail by account and address. Throws 429 after too many. */
export async function limitMails(attempt: AuthAttempt): Promise<void> {
  if (attempt.config.signInTries === 0) return
  const { keys, exempt } = makeCounterKeys('mail', attempt)
  await requireTries(attempt.db, keys, MAIL_LIMITS, WINDOW_SECONDS, exempt)
}

/** Counts failed OAuth2 sign-ins by address only, because the account is not known yet. Throws 429. */
export async function limitProviderAttempts<T>(
  { db, config, ip }: AuthAttempt,
  ask: () => Promise<T>,
) {
  if (config.signInTries === 0) return ask()
  return countFailures(db, 'provider', ip, [scaleForAddress(config.signInTries)], ask)
}

/** Maximum wrong guesses per network, then in total. Invitations need no total: their secrets are long. */
const GUESSES = { code: [8, 2_000], 'private token': [8, 2_000], invitation: [8] } as const
const GUESS_SECONDS = 300

/** Runs a check of a pairing code, token or secret. Counts wrong ones in the database. Throws 429. */
export const limitCodeGuesses = <T>(
  db: Db,
  what: keyof typeof GUESSES,
  ip: string,
  check: () => Promise<T>,
) => countFailures(db, what, ip, GUESSES[what], check, GUESS_SECONDS)

/** Limits wrong private tokens of SMSGate apps. Repeating the same token does not count. Throws 429. */
export async function limitPrivateTokens<T>(
  db: Db,
  ip: string,
  token: string,
  check: () => Promise<T>,
) {
  const wrong = `private token ${hashSha256(token).slice(0, 32)} ${toNetwork(ip)}`
  if (await hasAttempt(db, wrong)) return check()
  return limitCodeGuesses(db, 'private token', ip, () =>
    check().catch(async (error: unknown) => {
      await countAttempt(db, wrong, 1, GUESS_SECONDS)
      throw error
    }),
  )
}

async function countFailures<T>(
  db: Db,
  what: string,
  ip: string,
  limits: readonly number[],
  attempt: () => Promise<T>,
  seconds = WINDOW_SECONDS,
): Promise<T> {
  const keys = [`${what} from ${toNetwork(ip)}`, what].slice(0, limits.length)
  await requireTries(db, keys, [...limits], seconds)
  const result = await attempt()
  await uncountAttempts(db, keys, '')
  return result
}

/** Keys of the counters, most specific first. Account names are hashed: people type passwords there. */
function makeCounterKeys(what: string, { collection, account, ip }: AuthAttempt) {
  const network = toNetwork(ip)
  const who = hashSha256(`${collection} ${account.toLowerCase()}`).slice(0, 32)
  return {
    keys: [`${what} ${who} ${network}`, `${what} from ${network}`, `${what} ${who}`],
    exempt: `known ${who} ${network}`,
  }
}

async function requireTries(
  db: Db,
  keys: string[],
  limits: number[],
  seconds = WINDOW_SECONDS,
  exempt = '',
) {
  const wait = await callFunction(db, 'auth_take_tries', keys, limits, seconds, exempt)
  if (wait > 0) throw tooManyTries(wait)
}

/** Removes an attempt from the counts. `days`: how long the address then counts as known; 0: no change. */
const uncountAttempts = (db: Db, keys: readonly string[], exempt: string, days = 0) =>
  callFunction(db, 'auth_give_back', keys, exempt, days)

/** Counts an attempt for `key`. Returns the seconds to wait if there are over `max` in `seconds`, else 0. */
export const countSignInTry = (
  db: Db,
  key: string,
  max: number,
  seconds: number,
): Promise<number> => callFunction(db, 'auth_take_tries', [key], [max], seconds, '')

/** Counts an attempt for `key`. Returns false after over `max` attempts in `seconds`. */
export const countAttempt = async (
  db: Db,
  key: string,
  max: number,
  seconds: number,
): Promise<boolean> => (await countSignInTry(db, key, max, seconds)) === 0

async function hasAttempt(db: Db, key: string): Promise<boolean> {
  const found = await queries(db)
    .selectFrom('auth_tries')
    .where('key', '=', key)
    .where('ends', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return found !== undefined
}

export async function clearAttempts(db: Db, key: string): Promise<void> {
  await queries(db).deleteFrom('auth_tries').where('key', '=', key).execute()
}
