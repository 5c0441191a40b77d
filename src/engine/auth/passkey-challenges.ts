import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { tooManyTries } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import type { AuthRecord } from '../request/request.ts'
import { countSignInTry } from './sign-in-limits.ts'
import { hashSha256 } from './tokens.ts'

// Challenges that a passkey signs: random, stored, each good for one answer within minutes, for one purpose.

/**
 * `add`: a person makes a passkey. `prove`: a signed-in person shows that it is they. `second`: after another
 * sign-in method. `alone`: a sign-in by the passkey alone, of a person who is not known before.
 */
export type ChallengePurpose = 'add' | 'prove' | 'second' | 'alone'

const CHALLENGE_BYTES = 32
const VALID_SECONDS = 300
/** New challenges in five minutes: of a person, and of a network for sign-ins by a passkey alone. */
const MAX_CHALLENGES = { person: 20, network: 60 } as const

/** A person, and the `readProofState` under which a challenge is good. */
export interface Challenged {
  readonly person: AuthRecord
  readonly state: string
}

const hashChallenge = (challenge: string, state = '') => hashSha256(`${challenge}${state}`)

/** Makes a challenge for a person, or for any answer from a network. Throws 429 after too many. */
export async function makeChallenge(
  db: Db,
  purpose: ChallengePurpose,
  of: Challenged | { readonly network: string },
): Promise<Buffer> {
  const { person, state } = 'person' in of ? of : {}
  const key = 'network' in of ? of.network : `${of.person.collection.id} ${of.person.id}`
  const max = MAX_CHALLENGES[person ? 'person' : 'network']
  const wait = await countSignInTry(db, `passkey ${purpose} ${key}`, max, VALID_SECONDS)
  if (wait > 0) throw tooManyTries(wait)
  const challenge = randomBytes(CHALLENGE_BYTES)
  await queries(db)
    .insertInto('auth_challenges')
    .values({
      hash: hashChallenge(challenge.toString('base64url'), state),
      purpose,
      collection: person?.collection.id ?? '',
      record: person?.id ?? '',
      ends: writeTimeInSeconds(VALID_SECONDS),
    })
    .execute()
  return challenge
}

/**
 * Uses up a challenge of this purpose and person. False if it is unknown, used, too old or another's, or if
 * anything by which the person signs in has changed since.
 */
export async function useChallenge(
  db: Db,
  challenge: string,
  purpose: ChallengePurpose,
  of?: Challenged,
): Promise<boolean> {
  const { numDeletedRows } = await queries(db)
    .deleteFrom('auth_challenges')
    .where('hash', '=', hashChallenge(challenge, of?.state))
    .where('purpose', '=', purpose)
    .where('collection', '=', of?.person.collection.id ?? '')
    .where('record', '=', of?.person.id ?? '')
    .where('ends', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
