import { TokenBucket } from '../../admission/token-bucket.ts'
import { counts } from '../../counts.ts'
import type { StatementClient } from '../../db/client/statement-client.ts'
import { RetryLater } from '../../errors.ts'
import { Lru } from '../../tools/lru.ts'

/** Characters of new shapes that an account may compile: at once (1 s of CPU), and per second. */
const CHARACTERS = { burst: 200_000, perSecond: 10_000 }
/** Reading a filter up to this length costs no more than the rest of the request. */
const FREE_READING = 500
/** Cost of reading a character, relative to compiling it. */
const READING_SHARE = 0.5
/** An evicted account starts with a full budget. */
const MAX_ACCOUNTS = 10_000

const buckets = new Lru<string, TokenBucket>(MAX_ACCOUNTS)

/**
 * Charges the compilation of a filter and sort to its client's budget. Superusers and the server have no
 * budget. Throws RetryLater (429) when it is used up.
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

/** Charges the reading of a filter before it is known to be valid. Throws as above. */
export function spendReading(client: StatementClient | undefined, length: number): void {
  spendShape(client, Math.max(0, length - FREE_READING) * READING_SHARE)
}
