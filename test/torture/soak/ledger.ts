/** What becomes of a text, as those outside saw it. */
interface Life {
  readonly account: number
  /** `attempt` of each claim that handed it out, once each. */
  readonly attempts: Set<number>
  /** Webhook calls by type, realtime events by status. */
  readonly calls: Map<string, number>
  readonly events: Map<string, number>
  /** The stream that sent its first event. Later streams of the account send its events, too. */
  stream?: number
}

const add = (counts: Map<string, number>, name: string) =>
  counts.set(name, (counts.get(name) ?? 0) + 1)

/** Texts by id, and how long requests took. An event may come before the answer to the send. */
export class Ledger {
  readonly sent = new Set<string>()
  readonly received = new Set<string>()
  readonly refusals = new Map<string, number>()
  readonly #lives = new Map<string, Life>()
  readonly #times = new Map<string, { readonly at: number; readonly ms: number }[]>()
  readonly #reported = new Map<string, number>()
  /** Reported as delivered; and called about that. */
  delivered = 0
  ended = 0
  calls = 0

  life(id: string, account = -1): Life {
    const life = this.#lives.get(id) ?? {
      account,
      attempts: new Set(),
      calls: new Map(),
      events: new Map(),
    }
    if (!this.#lives.has(id) || (account >= 0 && life.account < 0))
      this.#lives.set(id, { ...life, account })
    return this.#lives.get(id)!
  }

  took(what: string, ms: number): void {
    const times = this.#times.get(what)
    if (times) times.push({ at: performance.now(), ms })
    else this.#times.set(what, [{ at: performance.now(), ms }])
  }

  refused = (why: string): void => void add(this.refusals as Map<string, number>, why)

  reported(id: string): void {
    this.delivered++
    this.#reported.set(id, performance.now())
  }

  called(type: string, id: string): void {
    this.calls++
    if (type === 'message.delivered') this.ended++
    add(this.life(id).calls, type)
  }

  /**
   * A stream got an event while `newest` was the account's newest stream. `delivered` may overtake the answer
   * to the report.
   */
  heard(status: string, id: string, stream: number, newest: number): void {
    const life = this.life(id)
    life.stream ??= newest
    if (life.stream !== stream) return
    add(life.events, status)
    const at = this.#reported.get(id)
    if (status === 'delivered' && at !== undefined) this.took('event', performance.now() - at)
    this.#reported.delete(id)
  }

  /** p50 and p99 of requests between two instants, by kind. */
  quantiles(from: number, to: number): ReadonlyMap<string, readonly [p50: number, p99: number]> {
    const found = new Map<string, readonly [number, number]>()
    for (const [what, times] of this.#times) {
      const sorted = times
        .flatMap(({ at, ms }) => (at >= from && at < to ? [ms] : []))
        .sort((a, b) => a - b)
      const of = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
      found.set(what, [of(0.5), of(0.99)])
    }
    return found
  }

  /** What was lost, doubled or never told. `watched`: accounts with an event stream. */
  faults(watched: number): string[] {
    const faults = [...this.refusals].map(([why, times]) => `refused ${times} times: ${why}`)
    for (const id of this.sent) {
      const { attempts, calls, events, account } = this.life(id)
      if (attempts.size !== 1) faults.push(`handed out ${attempts.size} times: ${id}`)
      faults.push(...notOnce(calls, ['message.sent', 'message.delivered'], `calls of ${id}`))
      const statuses = ['assigned', 'sending', 'sent', 'delivered']
      if (account < watched) faults.push(...notOnce(events, statuses, `events of ${id}`))
    }
    for (const id of this.received) {
      const { calls, events, account } = this.life(id)
      faults.push(...notOnce(calls, ['message.received'], `calls of ${id}`))
      if (account < watched) faults.push(...notOnce(events, ['received'], `events of ${id}`))
    }
    return faults
  }
}

const notOnce = (
  counts: ReadonlyMap<string, number>,
  names: readonly string[],
  what: string,
): string[] =>
  counts.size === names.length && names.every((name) => counts.get(name) === 1)
    ? []
    : [`${what}: ${JSON.stringify([...counts])}`]
