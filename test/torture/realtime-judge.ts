import { NEXT } from '../../src/sms/status/status.ts'
import { until } from './site.ts'
import { Subscriber } from './subscriber.ts'

/** How long a stream may take to tell what it missed. */
const PATIENCE_SECONDS = 90
const OWN = 10
const MAX_TOLD = 5

/** Streams of a user's messages on each server, and one there of another user, who must hear of none. */
export class Audience {
  readonly #own: readonly Subscriber[]
  readonly #strangers: readonly Subscriber[]

  private constructor(own: readonly Subscriber[], strangers: readonly Subscriber[]) {
    this.#own = own
    this.#strangers = strangers
  }

  static async open(urls: readonly string[], user: string, stranger: string): Promise<Audience> {
    const places = Array.from({ length: OWN * urls.length }, (_, home) => home)
    const own = places.map((home) => new Subscriber(urls, home, user))
    const strangers = urls.map((_, home) => new Subscriber(urls, home, stranger))
    for (const subscriber of [...own, ...strangers]) await subscriber.open()
    return new Audience(own, strangers)
  }

  /** Waits until all of `ids` were told, by an event or a list, and ends. What is wrong, a sentence each. */
  async judge(ids: readonly string[]): Promise<string[]> {
    const missing = () => Math.max(...this.#own.map((one) => missedBy(one, ids)))
    await until('', async () => missing() === 0, PATIENCE_SECONDS).catch(() => {})
    for (const one of [...this.#own, ...this.#strangers]) one.close()
    const heard = this.#strangers.flatMap(({ sessions }) => sessions.flatMap(({ told }) => told))
    return [
      ...(missing() > 0 ? [`a stream did not tell of ${missing()} of ${ids.length} messages`] : []),
      ...heard.map(({ id }) => `another user heard of ${id}`).slice(0, MAX_TOLD),
      ...this.#own.flatMap(disorder).slice(0, MAX_TOLD),
    ]
  }
}

/** How many messages a subscriber knows by no event and no list. */
function missedBy({ sessions }: Subscriber, ids: readonly string[]): number {
  const known = new Set(sessions.flatMap(({ listed, told }) => [...listed, ...told].map(({ id }) => id)))
  return ids.filter((id) => !known.has(id)).length
}

/** Steps of a message that one connection left out, or told in another order or twice. */
function disorder({ sessions }: Subscriber): string[] {
  return sessions.flatMap(({ told }) =>
    [...Map.groupBy(told, ({ id }) => id)].flatMap(([id, events]) =>
      events
        .filter(({ status }, i) => i > 0 && !NEXT[events[i - 1]!.status].includes(status))
        .map(({ status }) => `a stream told of ${id}, ${status}, after ${events.map((e) => e.status)}`),
    ),
  )
}
