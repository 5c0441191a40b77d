import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { ApiError } from '../../errors.ts'
import { TOO_MANY_PASSWORDS } from '../../fields/values/bcrypt.ts'
import { Semaphore } from '../../tools/semaphore.ts'
import { sha256 } from '../tokens/secrets.ts'
import { networkOf } from './addresses.ts'
import { countAttempt, hasAttempt } from './attempt-counts.ts'
import { RecentRefusals } from './recent-refusals.ts'

/** What somebody tries to get at, and from where. */
export interface SignInAttempt {
  readonly db: Db
  readonly config: Pick<Config, 'signInTries'>
  /** The collection's id. */
  readonly collection: string
  /** What was typed for an account, there or not: an unknown one must be counted like any other. */
  readonly account: string
  readonly ip: string
}

/** For so long from the first try on. */
const WINDOW_SECONDS = 600

/**
 * What may be wrong: for one account from one address (SIGN_IN_TRIES), from one address for all accounts, and
 * for one account from all addresses together where its owner has not signed in yet.
 */
const signInLimits = (tries: number) => [tries, tries * 15, tries * 10]
/** The same for mails that anybody may ask for, right or wrong. */
const MAIL_LIMITS = [15, 300, 60]

/** An address from which an account was opened stays out of what strangers' tries do to the account. */
const KNOWN_DAYS = 90

/**
 * So few are checked at once on a node that what is right, and not counted in the end, is not refused
 * meanwhile.
 */
const PLACES = 4
const MAX_WAITING = 200
const QUEUE = { maxWaiting: MAX_WAITING, refusal: TOO_MANY_PASSWORDS }
const strangers = new Semaphore(PLACES, QUEUE)
const known = new Semaphore(PLACES, QUEUE)
const refusals = new RecentRefusals()

/**
 * Runs a check of a password or code, which throws a 400 for a wrong one. What is wrong is counted, on all
 * nodes together, by account and address; then no more is checked for a while: throws 429. Tries of strangers
 * do not lock out the owner, who is asked for at addresses that are known. A right one is not counted and
 * clears what was, for its address. `check` is told whether the account was opened from this network before:
 * such an attempt waits for no stranger's.
 */
export async function limitSignInAttempts<T>(
  signInAttempt: SignInAttempt,
  check: (isKnown: boolean) => Promise<T>,
): Promise<T> {
  const { signInTries } = signInAttempt.config
  if (signInTries === 0) return check(false)
  const { db } = signInAttempt
  const { keys, exempt } = keysOf('sign in', signInAttempt)
  refusals.check(keys[0]!)
  const isKnown = await hasAttempt(db, exempt)
  const places = isKnown ? known : strangers
  return places.run(async () => {
    await takeTries(db, keys, exempt, signInLimits(signInTries), WINDOW_SECONDS)
    try {
      const result = await check(isKnown)
      await uncountAttempts(db, keys, exempt, KNOWN_DAYS)
      return result
    } catch (error) {
      // what is no wrong password was no try: a database that is away, a line that is too long
      if (!(error instanceof ApiError) || error.status >= 500)
        await uncountAttempts(db, keys, exempt).catch(() => {})
      throw error
    }
  }, networkOf(signInAttempt.ip))
}

/**
 * Counts a password that is hashed for a record which `holder` writes, an account or address. Throws 429
 * after too many.
 */
export async function countHash(
  db: Db,
  { signInTries }: Pick<Config, 'signInTries'>,
  holder: string,
): Promise<void> {
  if (signInTries === 0) return
  refusals.check(`hash of ${holder}`)
  await takeTries(db, [`hash of ${holder}`], '', signInLimits(signInTries).slice(1, 2), WINDOW_SECONDS)
}

/** Counts a mail that is asked for. Throws 429 when there were too many. */
export async function limitMails(signInAttempt: SignInAttempt): Promise<void> {
  if (signInAttempt.config.signInTries === 0) return
  const { keys, exempt } = keysOf('mail', signInAttempt)
  refusals.check(keys[0]!)
  await takeTries(signInAttempt.db, keys, exempt, MAIL_LIMITS, WINDOW_SECONDS)
}

/**
 * Runs what a provider is asked for a sign-in. What goes wrong is counted by address alone, as what is typed
 * for an account at a password: nobody is known yet, and strangers must not lock out a company. Throws 429
 * when there was too much.
 */
export async function limitProviderAttempts<T>(
  { db, config, ip }: Omit<SignInAttempt, 'account'>,
  ask: () => Promise<T>,
): Promise<T> {
  if (config.signInTries === 0) return ask()
  const keys = [`provider from ${networkOf(ip)}`]
  await takeTries(db, keys, '', signInLimits(config.signInTries).slice(1, 2), WINDOW_SECONDS)
  const result = await ask()
  await uncountAttempts(db, keys, '')
  return result
}

/**
 * Wrong pairing codes from one address, and from all: of a million codes few wait, but many addresses could
 * try them all. Private tokens have the same limits once more, so at most 4,000 codes are guessed in the 5
 * minutes for which a code is good.
 */
const CODE_LIMITS = [8, 2_000] as const
const CODE_SECONDS = 300

/**
 * Runs a check of a pairing code, which throws for a wrong one. What is wrong is counted, on all nodes
 * together; throws 429 when there were too many. A right one is not counted.
 */
export const limitPairingAttempts = <T>(db: Db, ip: string, check: () => Promise<T>): Promise<T> =>
  countWrong(db, 'code', ip, check)

/**
 * The same for a pairing code that an SMSGate app shows as its private token, counted apart: the app shows a
 * stale token again and again, which must not lock out whoever types a code at the same address. A token that
 * was wrong for its address in the last 5 minutes is checked and not counted again: it is no further guess.
 */
export async function limitPrivateTokenAttempts<T>(
  db: Db,
  ip: string,
  token: string,
  check: () => Promise<T>,
): Promise<T> {
  const wrong = `private token ${sha256(token).slice(0, 32)} ${networkOf(ip)}`
  if (await hasAttempt(db, wrong)) return check()
  return countWrong(db, 'private token', ip, async () => {
    try {
      return await check()
    } catch (error) {
      await countAttempt(db, wrong, 1, CODE_SECONDS)
      throw error
    }
  })
}

async function countWrong<T>(db: Db, what: string, ip: string, check: () => Promise<T>): Promise<T> {
  const keys = [`${what} from ${networkOf(ip)}`, what]
  await takeTries(db, keys, '', CODE_LIMITS, CODE_SECONDS)
  const result = await check()
  await uncountAttempts(db, keys, '')
  return result
}

/** What is counted, the most special first. Hashed: people type passwords where a name belongs. */
function keysOf(
  what: string,
  { collection, account, ip }: SignInAttempt,
): { keys: string[]; exempt: string } {
  const network = networkOf(ip)
  const who = sha256(`${collection} ${account.toLowerCase()}`).slice(0, 32)
  return {
    keys: [`${what} ${who} ${network}`, `${what} from ${network}`, `${what} ${who}`],
    exempt: `known ${who} ${network}`,
  }
}

async function takeTries(
  db: Db,
  keys: readonly string[],
  exempt: string,
  limits: readonly number[],
  seconds: number,
): Promise<void> {
  const { rows } = await db.query(
    'select auth_take_tries($1::text[], $2::int[], $3, $4)',
    [keys, limits, seconds, exempt],
    'auth take tries',
  )
  const wait = Number(rows[0]?.[0])
  if (wait > 0) throw refusals.add(keys[0]!, wait)
}

/** `days`, if the try was right: so long its address is known. */
async function uncountAttempts(db: Db, keys: readonly string[], exempt: string, days = 0): Promise<void> {
  await db.query('select auth_give_back($1::text[], $2, $3)', [keys, exempt, days], 'auth give back')
}
