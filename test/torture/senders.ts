import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../support/server/server-with-devices.ts'

/** Answers by what they say. */
export class AnswerCounts {
  readonly #counts = new Map<string, number>()

  /** Undefined: no whole answer came. */
  add(answer: Response | undefined): void {
    const isBare = answer?.status === 503 && !answer.headers.has('retry-after')
    const name = answer ? `${answer.status}${isBare ? ' without Retry-After' : ''}` : 'no answer'
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** How many there were of a name: a status, a 503 without Retry-After, no answer. */
  get(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** All but 200, and 503 with Retry-After. */
  strange(): string[] {
    const others = [...this.#counts].filter(([name]) => name !== '200' && name !== '503')
    return others.map(([name, count]) => `answered ${count} times: ${name}`)
  }
}

/** A send that was answered with 200. */
export interface Acknowledged {
  readonly recipients: readonly string[]
  readonly ids: readonly string[]
  /** The server that answered. */
  readonly url: string
  /** As performance.now() has it. */
  readonly at: number
}

export interface SenderOptions {
  /** Of servers; may change while they send. */
  readonly urls: readonly string[]
  readonly user: Client
  readonly count: number
  /** Between two sends of one sender. */
  readonly pauseMs: number
}

/** Every third send goes to so many, in one batch. */
const BATCH = 3
/** What says: try again with the same key. */
const PASSING = new Set([409, 502, 503, 504])
const RETRY_MS = 50
/** Longer than any statement may take: who waits that long is forgotten. */
const ANSWER_MS = 45_000
const FIRST_NUMBER = 100_000_000

/**
 * Senders that go on whatever happens. No two messages have the same number, so that the judge can tell them
 * apart. Half of the sends carry an Idempotency-Key and are repeated until they are answered; the others are
 * not.
 */
export class Senders {
  readonly acknowledged: Acknowledged[] = []
  /** Sends without a key whose answer was lost: stored once or not at all. */
  unknown = 0
  /** Requests that got no whole answer. */
  unanswered = 0
  /** Answers with 503, by the server. */
  readonly unavailable = new Map<string, number>()
  /** Answers that are neither 200 nor a reason to try again, by `status error`. */
  readonly refused = new Map<string, number>()
  readonly answers = new AnswerCounts()
  readonly #options: SenderOptions
  readonly #running: Promise<void>[] = []
  #isOver = false
  #last = 0

  constructor(options: SenderOptions) {
    this.#options = options
  }

  start(): void {
    for (let i = 0; i < this.#options.count; i++) this.#running.push(this.#send(i))
  }

  /** Lets each finish what it is at. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#running)
  }

  async #send(sender: number): Promise<void> {
    const { pauseMs } = this.#options
    for (let turn = 0; !this.#isOver; turn++) {
      const recipients = Array.from({ length: turn % 3 === 2 ? BATCH : 1 }, () => this.#number())
      const guarantee = turn % 4 === 3 ? 'at_least_once' : 'at_most_once'
      const key = turn % 2 === 0 ? randomUUID() : undefined
      await this.#sendOne(sender + turn, { recipients, body: 'Hello', guarantee }, key)
      await sleep(pauseMs * (0.5 + Math.random()))
    }
  }

  #number(): string {
    return `+49${FIRST_NUMBER + this.#last++}`
  }

  /** Each try goes to the next server. */
  async #sendOne(
    place: number,
    body: { recipients: string[]; body: string; guarantee: string },
    key: string | undefined,
  ): Promise<void> {
    const { urls } = this.#options
    for (let turn = place; ; turn++) {
      const url = urls[turn % urls.length]!
      const answer = await this.#post(url, body, key)
      if (!answer) this.unanswered++
      if (answer?.status === 503) this.unavailable.set(url, (this.unavailable.get(url) ?? 0) + 1)
      const isAgain = !answer || PASSING.has(answer.status)
      if (isAgain && key) {
        await sleep(RETRY_MS)
        continue
      }
      if (isAgain) this.unknown++
      else if (answer.status === 200)
        this.#acknowledge(url, body.recipients, answer.body.message_ids)
      else this.#refuse(`${answer.status} ${answer.body.error ?? answer.body.message}`)
      return
    }
  }

  #acknowledge(url: string, recipients: readonly string[], ids: readonly string[]): void {
    this.acknowledged.push({ url, recipients, ids, at: performance.now() })
  }

  #refuse(why: string): void {
    this.refused.set(why, (this.refused.get(why) ?? 0) + 1)
  }

  /** Undefined when no whole answer came. */
  async #post(url: string, body: object, key: string | undefined) {
    try {
      const response = await fetch(`${url}/api/sms/send`, {
        method: 'POST',
        headers: {
          authorization: this.#options.user.token,
          'content-type': 'application/json',
          ...(key && { 'idempotency-key': key }),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      const text = await response.text()
      this.answers.add(response)
      return { status: response.status, body: JSON.parse(text) }
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') this.#refuse(`nothing within ${ANSWER_MS} ms`)
      this.answers.add(undefined)
      return undefined
    }
  }
}
