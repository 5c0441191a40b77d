import { WakeSignal } from '../tools/wake-signal.ts'
import { Backoff } from './backoff.ts'
import type { Driver, IncomingText, OutgoingText, SendResult } from './driver.ts'
import type { Journal } from './journal.ts'
import { Outbox } from './outbox.ts'
import { call, isDisabledRefusal, type Server, ServerUnavailable } from './server.ts'
import { listen } from './stream.ts'

/** A message as a claim answers it; dates in PocketBase's form. */
interface Claimed extends OutgoingText {
  readonly priority: number
  readonly expires_at: string
  readonly lease_until: string
}

/** A claimed message, and until when (on our own steady clock) it may be handed to the radio. */
interface Job extends Claimed {
  readonly untilMs: number
}

/** Wake-ups may be lost: so often we ask by ourselves. */
const POLL_MS = 30_000
/** The server's clock is known to the second, and the radio takes time. */
const MARGIN_MS = 2_000
/** What the server gives at most. */
const MAX_CLAIM = 100

/** What the server takes of a reason, and of a sender's name. */
const MAX_REASON = 1_000
const MAX_SENDER = 50
/** The instants that it takes: from 1970 to 9999. */
const END_MS = Date.UTC(10_000, 0)

/** Between a server and a driver: claims, has sent, reports. */
export class Agent {
  readonly #server: () => Server
  readonly #driver: Driver
  readonly #journal: Journal
  readonly #say: (line: string) => void
  readonly #outbox: Outbox
  readonly #work = new WakeSignal()
  readonly #jobs: Job[] = []
  readonly #running = new Set<Promise<void>>()
  #isEnding = false
  /** Messages of the last answer that we hold already, perhaps since before our last death. */
  #held = 0

  constructor(server: () => Server, driver: Driver, journal: Journal, say: (line: string) => void) {
    this.#server = server
    this.#driver = driver
    this.#journal = journal
    this.#say = say
    this.#outbox = new Outbox(journal, server, this.#work.notifier, say)
  }

  /** Works until `ended`. Throws ServerRefusal when the server does not know the device any more. */
  async run(ended: AbortSignal): Promise<void> {
    await this.#driver.start({
      delivered: ({ id, attempt }, at, error) =>
        this.#report(id, attempt, error ? 'failed' : 'delivered', at, error ? reasonOf(error) : {}),
      received: (text, at) => {
        const item = takeable(text, at)
        this.#say(`received a text from ${item.from}`)
        this.#outbox.put({ kind: 'incoming', item })
      },
    })
    const failed = new AbortController()
    const all = AbortSignal.any([ended, failed.signal])
    const parts = [this.#outbox.run(all), this.#claimOn(all), this.#listen(all)]
    try {
      await Promise.all(parts.map((part) => part.finally(() => failed.abort())))
    } finally {
      await Promise.allSettled(parts)
      await this.#finish()
    }
  }

  /**
   * What is with the radio is waited for, what is not goes back. The server hears of it now, or at the next
   * start.
   */
  async #finish(): Promise<void> {
    this.#isEnding = true
    for (const job of this.#jobs.splice(0)) this.#giveBack(job, 'The agent was stopped')
    await Promise.all(this.#running)
    await this.#driver.stop()
    await this.#outbox.tellLast()
  }

  #listen(ended: AbortSignal): Promise<void> {
    const connected = () => {
      this.#say('connected')
      this.#tellSims(ended)
      this.#work.notify()
    }
    return listen(this.#server, connected, ({ event }) => event === 'wake' && this.#work.notify(), ended)
  }

  /** What cannot be told now is told with the next connection. */
  #tellSims(ended: AbortSignal): void {
    const { sims } = this.#driver
    if (sims?.length) call(this.#server(), 'POST', '/api/devices/heartbeat', { sims }, ended).catch(() => {})
  }

  async #claimOn(ended: AbortSignal): Promise<void> {
    const backoff = new Backoff()
    while (!ended.aborted) {
      try {
        while (await this.#claim(ended));
        backoff.reset()
      } catch (error) {
        if (error instanceof ServerUnavailable) {
          await backoff.pause(ended)
          continue
        }
        if (!isDisabledRefusal(error)) throw error
        this.#say(error.message)
      }
      await this.#work.wait(POLL_MS, ended)
    }
  }

  /** True when there may be more for us. */
  async #claim(ended: AbortSignal): Promise<boolean> {
    const free = this.#driver.parallel - this.#running.size - this.#jobs.length
    if (free < this.#driver.parallel / 2) return false
    const askedMs = performance.now()
    // what we hold comes first: ask for so many more
    const limit = Math.min(MAX_CLAIM, free + this.#held)
    const path = '/api/devices/claim'
    const answer = await call<{ items: Claimed[] }>(this.#server(), 'POST', path, { limit }, ended)
    const { items } = answer.body
    const fresh = items.filter((item) => !this.#hasSeen(item))
    this.#held = items.length - fresh.length
    for (const item of fresh) {
      const ends = [item.lease_until, item.expires_at].filter(Boolean).map((date) => Date.parse(date))
      this.#jobs.push({ ...item, untilMs: askedMs + Math.min(...ends) - answer.serverTime - MARGIN_MS })
    }
    this.#next()
    return fresh.length > 0 || (items.length === limit && limit < MAX_CLAIM)
  }

  #hasSeen({ id, attempt }: Claimed): boolean {
    return (
      this.#journal.hasBegun(id, attempt) ||
      this.#jobs.some((job) => job.id === id && job.attempt === attempt)
    )
  }

  #next(): void {
    while (this.#running.size < this.#driver.parallel && !this.#isEnding) {
      const job = this.#jobs.shift()
      if (!job) return
      const sending = this.#send(job).finally(() => {
        this.#running.delete(sending)
        this.#next()
        this.#work.notify()
      })
      this.#running.add(sending)
    }
  }

  async #send(job: Job): Promise<void> {
    const { id, attempt, to, body, sim } = job
    if (performance.now() > job.untilMs) return this.#giveBack(job, 'The lease ran out')
    this.#journal.begin(id, attempt)
    const result = await this.#driver.send({ id, attempt, to, body, sim })
    this.#say(`${result.outcome} to ${to}${result.outcome === 'failed' ? `: ${result.error}` : ''}`)
    this.#reportResult(job, result)
  }

  /** It was never with the radio: another device may have it. */
  #giveBack(job: Job, error: string): void {
    this.#say(`given back, to ${job.to}: ${error}`)
    this.#journal.begin(job.id, job.attempt)
    this.#reportResult(job, { outcome: 'failed', error, notSent: true })
  }

  #reportResult({ id, attempt }: Job, result: SendResult): void {
    const details = result.outcome === 'failed' ? { ...reasonOf(result.error), not_sent: result.notSent } : {}
    this.#report(id, attempt, result.outcome, this.#driver.now(), details)
  }

  #report(id: string, attempt: number, status: string, at: Date, details: object): void {
    this.#outbox.put({ kind: 'report', item: { id, attempt, status, at: at.toISOString(), ...details } })
  }
}

/**
 * A program may say much when it fails. What the server refuses for its length would be lost, and the truth
 * with it.
 */
const reasonOf = (error: string) => ({ error_message: error.slice(0, MAX_REASON) })

/**
 * A text that came in, as the server takes it: some have no sender, some an instant that is none, by the
 * network's fault or the driver's. Then it came now.
 */
function takeable({ from, body, sim }: IncomingText, at: Date) {
  const ms = at.getTime()
  const received = ms >= 0 && ms < END_MS ? at : new Date()
  return {
    from: (from || 'unknown').slice(0, MAX_SENDER),
    body: body ?? '',
    sim,
    received_at: received.toISOString(),
  }
}
