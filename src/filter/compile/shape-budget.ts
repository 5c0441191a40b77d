import { counts } from '../../counts.ts'
import type { StatementClient } from '../../db/client/statement-client.ts'
import { RetryLater } from '../../errors.ts'
import { Lru } from '../../tools/lru.ts'
import { TokenBucket } from '../../tools/token-bucket.ts'

/**
 * Characters of new shapes that an account may have compiled at once, 1 s of processor, and in a second.
 */
const CHARACTERS = { burst: 200_000, perSecond: 10_000 }
/** Reading a filter up to this length costs no more than the rest of its request. */
const FREE_READING = 500
/** Reading a character costs half of what compiling it does. */
const READING_SHARE = 0.5
/** An account that others push out has its whole budget again. */
const MAX_ACCOUNTS = 10_000

const buckets = new Lru<string, TokenBucket>(MAX_ACCOUNTS)

/**
 * Takes a filter and sort that have to be compiled from the budget of their client. Superusers and the server
 * itself have no budget. Throws RetryLater (429) when it is used up.
 */
export function spendShape(client: StatementClient | undefined, length: number): void {
  if (!client || client.isSuperuser || length === 0) return
  const bucket = buckets.get(client.account) ?? new TokenBucket(CHARACTERS)
  const seconds = bucket.secondsUntil(length)
  if (seconds > 0) {
    counts.filter.refused++
    throw new RetryLater(429, Math.ceil(seconds), 'Too many different filters')
  }
  bucket.take(length)
  buckets.set(client.account, bucket)
}

/**
 * Takes the reading of a filter from the same budget, right or wrong: it is spent before anybody knows.
 * Throws as above.
 */
export function spendReading(client: StatementClient | undefined, length: number): void {
  spendShape(client, Math.max(0, length - FREE_READING) * READING_SHARE)
}
