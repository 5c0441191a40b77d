import { counts } from '../counts.ts'
import type { StatementClient } from '../db/statement-client.ts'
import { TooMany } from '../errors.ts'
import { Lru } from './lru.ts'

/** Characters of new shapes that an account may have compiled at once: 1 to 2 s of processor. */
const BURST = 400_000
/** What comes back of that in a second. */
const PER_SECOND = 10_000
/** Reading a filter up to this length costs no more than the rest of its request. */
const FREE_READING = 500
/** Reading a character costs half of what compiling it does. */
const READING_SHARE = 0.5
/** An account that others push out has its whole budget again. */
const MAX_ACCOUNTS = 10_000

interface Bucket {
  left: number
  atMs: number
}

const buckets = new Lru<string, Bucket>(MAX_ACCOUNTS)

/**
 * Takes a filter and sort that have to be compiled from the budget of their client. Superusers and the server itself have no budget.
 * Throws TooMany (429) when it is used up.
 */
export function spendShape(client: StatementClient | undefined, length: number): void {
  if (!client || client.isSuperuser || length === 0) return
  const nowMs = performance.now()
  const known = buckets.get(client.account)
  const back = known ? ((nowMs - known.atMs) / 1000) * PER_SECOND : 0
  const left = Math.min(BURST, (known?.left ?? BURST) + back)
  if (left < length) {
    counts.filter.refused++
    throw new TooMany(429, Math.ceil((length - left) / PER_SECOND), 'Too many different filters')
  }
  buckets.set(client.account, { left: left - length, atMs: nowMs })
}

/** Takes the reading of a filter from the same budget, right or wrong: it is spent before anybody knows. Throws as above. */
export function spendReading(client: StatementClient | undefined, length: number): void {
  spendShape(client, Math.max(0, length - FREE_READING) * READING_SHARE)
}
