import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { tooManyTries } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import type { AuthRecord } from '../request/request.ts'
import { countSignInTry } from './attempt-limits.ts'
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

/** Makes a challenge for a person, or for whoever answers from a network. Throws 429 after too many. */
export async function makeChallenge(
  db: Db,
  purpose: ChallengePurpose,
  of: AuthRecord | { readonly network: string },
): Promise<Buffer> {
  const isPerson = 'id' in of
  const key = isPerson ? `${of.collection.id} ${of.id}` : of.network
  const max = MAX_CHALLENGES[isPerson ? 'person' : 'network']
  const wait = await countSignInTry(db, `passkey ${purpose} ${key}`, max, VALID_SECONDS)
  if (wait > 0) throw tooManyTries(wait)
  const challenge = randomBytes(CHALLENGE_BYTES)
  await queries(db)
    .insertInto('auth_challenges')
    .values({
      hash: hashSha256(challenge.toString('base64url')),
      purpose,
      collection: isPerson ? of.collection.id : '',
      record: isPerson ? of.id : '',
      ends: writeTimeInSeconds(VALID_SECONDS),
    })
    .execute()
  return challenge
}

/** Uses up a challenge of this purpose and person. False if it is unknown, used, too old or another's. */
export async function useChallenge(
  db: Db,
  challenge: string,
  purpose: ChallengePurpose,
  person?: AuthRecord,
): Promise<boolean> {
  const { numDeletedRows } = await queries(db)
    .deleteFrom('auth_challenges')
    .where('hash', '=', hashSha256(challenge))
    .where('purpose', '=', purpose)
    .where('collection', '=', person?.collection.id ?? '')
    .where('record', '=', person?.id ?? '')
    .where('ends', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
