import type { Store } from '../collections/catalog.ts'
import { TooMany } from '../errors.ts'
import { refuse } from './refusal.ts'

/** Opted-out recipients of one user in a window, on this server: they cost no quota, but each leaves a message. */
const MAX = 20_000
const WINDOW_MS = 600_000
/** Webhook calls that the opted-out recipients of one send may cause: all are stored in one transaction. */
const MAX_CALLS = 2_000
/** Sends to fewer recipients are not counted: they cost about what an ordinary send does. */
const MIN_RECIPIENTS = 20

const COUNT = `select
  (select count(*) from contacts where "user" = $1 and opted_out and phone = any($2::text[])),
  (select count(*) from webhooks where "user" = $1 and enabled and 'message.failed' = any(events))`

/** Bounds how many opted-out recipients a user sends to. With several webhooks each counts once a call. */
export class OptedOutLimit {
  readonly #max: number
  #counts = new Map<string, number>()
  #endsMs = 0

  constructor(max = MAX) {
    this.#max = max
  }

  /**
   * Counts the opted-out ones among the recipients of a send. Throws 429 when the user has had too many, 400 when this
   * send alone would cause too many webhook calls.
   */
  async take({ db }: Pick<Store, 'db'>, user: string, phones: readonly string[]): Promise<void> {
    if (phones.length < MIN_RECIPIENTS) return
    const nowMs = Date.now()
    if (nowMs >= this.#endsMs) {
      this.#counts = new Map()
      this.#endsMs = nowMs + WINDOW_MS
    }
    if ((this.#counts.get(user) ?? 0) >= this.#max) {
      const seconds = Math.ceil((this.#endsMs - nowMs) / 1000)
      throw new TooMany(429, seconds, 'Too many recipients have opted out. Leave them out, or wait.')
    }
    const { rows } = await db.query(COUNT, [user, phones], 'sms opted out of send')
    const [optedOut, webhooks] = rows[0]!.map(Number) as [number, number]
    if (optedOut * webhooks > MAX_CALLS) throw tooManyCalls(optedOut, webhooks)
    const count = optedOut * Math.max(webhooks, 1)
    if (count > 0) this.#counts.set(user, (this.#counts.get(user) ?? 0) + count)
  }
}

const tooManyCalls = (optedOut: number, webhooks: number) =>
  refuse(
    'invalid_request',
    `${optedOut} recipients have opted out, and each causes ${webhooks} webhook calls. ` +
      `One send may cause ${MAX_CALLS}: leave them out, or send to fewer at once.`,
  )
