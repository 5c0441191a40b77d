import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { NEXT, type Status } from '../../src/gateway/base/message-status.ts'
import { client, must } from '../support/server/server-with-devices.ts'
import { until } from './site.ts'

const AGAIN_MS = 50
const PAGE = 500

/** What a subscriber is told of a message, by event or by list. */
interface Told {
  readonly id: string
  readonly status: Status
  /** As performance.now() has it. */
  readonly at: number
}

/** One connection: what was there when it was made, and what was told since. */
interface Session {
  readonly listed: readonly Told[]
  readonly told: Told[]
  /** Whether the server has ended it, as it does when it may have missed changes. The next one lists all. */
  hasEnded: boolean
}

/**
 * A subscriber of a user's messages by PocketBase's protocol, without any library.
 * When its connection ends it goes to the next server, subscribes and reads the lists anew, as PB_CONNECT
 * tells the SDK's users to.
 */
export class Subscriber {
  readonly sessions: Session[] = []
  readonly #urls: readonly string[]
  readonly #token: string
  #at: number
  #stream: IncomingMessage | undefined
  #isOver = false

  /** `home`: which of the servers it goes to first. */
  constructor(urls: readonly string[], home: number, token: string) {
    this.#urls = urls
    this.#at = home
    this.#token = token
  }

  /** Connects, and stays connected until `close`. Resolves when it is subscribed for the first time. */
  async open(): Promise<void> {
    await this.#connectAnew()
  }

  close(): void {
    this.#isOver = true
    this.#stream?.destroy()
  }

  async #connectAnew(): Promise<void> {
    while (!this.#isOver) {
      const url = this.#urls[this.#at % this.#urls.length]!
      if (await this.#connect(url).catch(() => false)) return
      this.#at++
      await sleep(AGAIN_MS)
    }
  }

  /** Connects, subscribes and lists. Whether it did; if not, nothing of it stays open. */
  async #connect(url: string): Promise<boolean> {
    const stream = await openStream(`${url}/api/realtime`)
    this.#stream = stream
    const session = await this.#subscribe(url, stream).catch(() => undefined)
    if (!session || stream.destroyed) {
      stream.destroy()
      return false
    }
    this.sessions.push(session)
    // not before: while it connects, #connectAnew tries again
    stream.once('close', () => {
      session.hasEnded = !this.#isOver
      this.#at++
      void this.#connectAnew()
    })
    return true
  }

  async #subscribe(url: string, stream: IncomingMessage): Promise<Session> {
    const told: Told[] = []
    const clientId = await listen(stream, told)
    const me = client(url, '', this.#token)
    await must(me, 'POST', '/api/realtime', { clientId, subscriptions: ['sms_messages/*'] })
    const listed = this.sessions.length > 0 ? await this.#list(url) : []
    return { listed, told, hasEnded: false }
  }

  /** All messages that it sees now. */
  async #list(url: string): Promise<Told[]> {
    const me = client(url, '', this.#token)
    const found: Told[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const query = `page=${page}&perPage=${PAGE}&sort=@rowid&fields=id,status`
      const body = await must(me, 'GET', `/api/collections/sms_messages/records?${query}`)
      pages = body.totalPages
      const at = performance.now()
      found.push(...body.items.map((item: Told) => ({ ...item, at })))
    }
    return found
  }
}

function openStream(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asking = get(url, { agent: false }, (answer) => {
      if (answer.statusCode === 200) return resolve(answer)
      answer.resume()
      reject(new Error(`${url}: ${answer.statusCode}`))
    })
    asking.once('error', reject)
  })
}

/** Notes what a stream tells; answers the id of its PB_CONNECT, rejects if it ends before that. */
function listen(stream: IncomingMessage, told: Told[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      const frames = (text + chunk).split('\n\n')
      text = frames.pop()!
      for (const frame of frames) {
        const [, id = '', event, data = ''] =
          /^(?::\n)*id:(.*)\nevent:(.*)\ndata:(.*)$/.exec(frame) ?? []
        if (event === 'PB_CONNECT') resolve(id)
        else told.push({ ...JSON.parse(data).record, at: performance.now() })
      }
    })
    stream.on('error', () => {})
    stream.once('close', () => reject(new Error('The stream has ended.')))
  })
}

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
  const known = new Set(
    sessions.flatMap(({ listed, told }) => [...listed, ...told].map(({ id }) => id)),
  )
  return ids.filter((id) => !known.has(id)).length
}

/** Whether a status may come after another, with others in between. */
function mayFollow(before: Status, after: Status, seen: readonly Status[] = []): boolean {
  return NEXT[before].some(
    (next) => next === after || (!seen.includes(next) && mayFollow(next, after, [...seen, next])),
  )
}

/** Steps of a message that one connection left out, or told in another order or twice. */
function disorder({ sessions }: Subscriber): string[] {
  return sessions.flatMap(({ told, hasEnded }) =>
    [...Map.groupBy(told, ({ id }) => id)].flatMap(([id, events]) =>
      events
        .filter(({ status }, i) => {
          const before = events[i - 1]?.status
          return before && !(hasEnded ? mayFollow(before, status) : NEXT[before].includes(status))
        })
        .map(
          ({ status }) => `a stream told of ${id}, ${status}, after ${events.map((e) => e.status)}`,
        ),
    ),
  )
}
