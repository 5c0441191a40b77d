import { type BucketSize, TokenBucket } from '../../admission/token-bucket.ts'
import type { Store } from '../../collections/catalog.ts'
import { RetryLater } from '../../errors.ts'
import { Lru } from '../../tools/lru.ts'
import { gatewayRefusal } from './refusal.ts'

/** Opted-out recipients per user, at once and per second: they cost no quota, but store a message each. */
const RECIPIENTS = { burst: 2_000, perSecond: 2_000 / 60 }
/** A user whom others push out has the whole burst again. */
const MAX_USERS = 1_000
/** Webhook calls that the opted-out recipients of one send may cause: all are stored in one transaction. */
const MAX_CALLS = 1_000
/** Sends to fewer recipients are not counted: they cost about what an ordinary send does. */
const MIN_RECIPIENTS = 20

const COUNT = `select
  (select count(*) from contacts where "user" = $1 and opted_out and phone = any($2::text[])),
  (select count(*) from webhooks where "user" = $1 and enabled and 'message.failed' = any(events))`

/** Bounds how many opted-out recipients a user sends to. With several webhooks each counts once a call. */
export class OptedOutLimit {
  readonly #size: BucketSize
  readonly #buckets = new Lru<string, TokenBucket>(MAX_USERS)

  constructor(size: BucketSize = RECIPIENTS) {
    this.#size = size
  }

  /**
   * Counts opted-out recipients. Throws 429 after too many, 400 if one send would cause too many webhook
   * calls.
   */
  async take({ db }: Pick<Store, 'db'>, user: string, phones: readonly string[]): Promise<void> {
    if (phones.length < MIN_RECIPIENTS) return
    const bucket = this.#buckets.get(user) ?? new TokenBucket(this.#size)
    const seconds = bucket.secondsUntil(0)
    if (seconds > 0)
      throw new RetryLater(
        429,
        Math.ceil(seconds),
        'Too many recipients have opted out. Leave them out, or wait.',
      )
    const { rows } = await db.query(COUNT, [user, phones], 'sms opted out of send')
    const [optedOut, webhooks] = rows[0]!.map(Number) as [number, number]
    if (optedOut * webhooks > MAX_CALLS) throw tooManyCalls(optedOut, webhooks)
    if (optedOut === 0) return
    bucket.take(optedOut * Math.max(webhooks, 1))
    this.#buckets.set(user, bucket)
  }
}

const tooManyCalls = (optedOut: number, webhooks: number) =>
  gatewayRefusal(
    'invalid_request',
    `${optedOut} recipients have opted out, and each causes ${webhooks} webhook calls. ` +
      `One send may cause ${MAX_CALLS}: leave them out, or send to fewer at once.`,
  )
