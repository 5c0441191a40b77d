import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, client } from '../../support/server/server-with-devices.ts'
import { Subscriber } from '../subscriber.ts'

// A process that works as an honest user does: `node victim.ts`, then `start` with an account, then `stop`.
// It answers that with what it measured. Requests go out at fixed times, also while earlier ones wait.

/** Who it works as. */
export interface VictimAccount {
  readonly url: string
  readonly id: string
  readonly token: string
  readonly email: string
  readonly password: string
  readonly device: string
}

export type VictimOrder =
  | { readonly kind: 'start'; readonly account: VictimAccount }
  | { readonly kind: 'stop' }

/** What the victim noticed. */
export interface Noticed {
  /** Milliseconds of every request and event. */
  readonly times: readonly number[]
  /** Milliseconds of the sends among them. */
  readonly sends: readonly number[]
  /** What failed, with how often. */
  readonly failures: Readonly<Record<string, number>>
  /** The slowest of each kind, in milliseconds. */
  readonly slowest: Readonly<Record<string, number>>
}

/** Longer than any bound of a scenario: a request that takes so long has failed. */
const PATIENCE_MS = 10_000
const LIST = '/api/collections/sms_messages/records'

type Ask = (victim: Victim) => Promise<void>

/** How often each is asked, in milliseconds. */
const WORK: readonly (readonly [kind: string, everyMs: number, ask: Ask])[] = [
  ['health', 50, (victim) => victim.get('/api/health')],
  ['send', 200, (victim) => victim.send()],
  [
    'list',
    200,
    (victim) =>
      victim.get(`${LIST}?perPage=30&sort=-created&filter=${encodeURIComponent('to != ""')}`),
  ],
  ['view', 200, (victim) => victim.get(`/api/collections/users/records/${victim.account.id}`)],
  ['claim', 250, (victim) => victim.claim()],
  ['sign-in', 1_000, (victim) => victim.signIn()],
]

class Victim {
  readonly account: VictimAccount
  readonly #user: Client
  readonly #device: Client
  readonly #guest: Client
  readonly #subscriber: Subscriber
  readonly #times: number[] = []
  readonly #sends: number[] = []
  readonly #slowest: Record<string, number> = {}
  readonly #failures: Record<string, number> = {}
  readonly #timers: NodeJS.Timeout[] = []
  readonly #open = new Set<Promise<void>>()
  /** When each message was sent, by id. */
  readonly #sent = new Map<string, number>()
  #kind = ''

  constructor(account: VictimAccount) {
    const { url, id, token, device } = account
    this.account = account
    this.#user = client(url, id, token)
    this.#device = client(url, '', device)
    this.#guest = client(url, '', '')
    this.#subscriber = new Subscriber([url], 0, token)
  }

  async start(): Promise<void> {
    await this.#subscriber.open()
    for (const [kind, everyMs, ask] of WORK) {
      const turn = () => {
        this.#kind = kind
        const asked = ask(this).catch((error: Error) => this.#fail(`${kind}: ${error.message}`))
        this.#open.add(asked)
        void asked.then(() => this.#open.delete(asked))
      }
      this.#timers.push(setInterval(turn, everyMs))
    }
  }

  /** Waits for all answers and events, or until they are too late. */
  async stop(): Promise<Noticed> {
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.all(this.#open)
    await this.#judgeEvents()
    this.#subscriber.close()
    return {
      times: this.#times,
      sends: this.#sends,
      failures: this.#failures,
      slowest: this.#slowest,
    }
  }

  get = async (path: string): Promise<void> => {
    await this.#ask(this.#kind, this.#user, 'GET', path)
  }

  async send(): Promise<void> {
    const at = performance.now()
    const body = { recipients: [`+49${Math.floor(1e10 + Math.random() * 8e10)}`], body: 'Hello' }
    const answer = await this.#ask('send', this.#user, 'POST', '/api/sms/send', body)
    for (const id of answer?.message_ids ?? []) this.#sent.set(id, at)
  }

  async claim(): Promise<void> {
    const claimed = await this.#ask('claim', this.#device, 'POST', '/api/devices/claim', {
      limit: 100,
    })
    const items = (claimed?.items ?? []).map(
      ({ id, attempt }: { id: string; attempt: number }) => ({
        id,
        attempt,
        status: 'sent',
      }),
    )
    if (items.length > 0)
      await this.#ask('report', this.#device, 'POST', '/api/devices/report', { items })
  }

  async signIn(): Promise<void> {
    const { email: identity, password } = this.account
    const path = '/api/collections/users/auth-with-password'
    await this.#ask('sign-in', this.#guest, 'POST', path, { identity, password })
  }

  /** The body of a success; undefined for a failure, which is noted. */
  async #ask(kind: string, as: Client, method: string, path: string, body?: unknown) {
    const begin = performance.now()
    const late = sleep(PATIENCE_MS, undefined, { ref: false })
    const answer = await Promise.race([
      as.call(method, path, body).catch((error: Error) => error),
      late,
    ])
    this.#note(kind, performance.now() - begin)
    if (!answer) this.#fail(`${kind}: no answer within ${PATIENCE_MS} ms`)
    else if (answer instanceof Error)
      this.#fail(`${kind}: ${(answer.cause as Error)?.message ?? answer.message}`)
    else if (answer.status < 200 || answer.status >= 300) this.#fail(`${kind}: ${answer.status}`)
    else return answer.body
    return undefined
  }

  /** Every message that was sent must have been told as it was created. */
  async #judgeEvents(): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; ; await sleep(50)) {
      const told = this.#told()
      const missed = [...this.#sent.keys()].filter((id) => !told.has(id))
      if (missed.length > 0 && performance.now() < end) continue
      for (const [id, at] of this.#sent) if (told.has(id)) this.#note('event', told.get(id)! - at)
      if (missed.length > 0) this.#fail('event: never came', missed.length)
      if (this.#subscriber.sessions.length > 1)
        this.#fail('stream: ended', this.#subscriber.sessions.length - 1)
      return
    }
  }

  /** When each message was first told of. */
  #told(): Map<string, number> {
    const all = this.#subscriber.sessions.flatMap(({ told }) => told)
    return new Map(all.toReversed().map(({ id, at }) => [id, at]))
  }

  #note(kind: string, ms: number): void {
    this.#times.push(ms)
    if (kind === 'send') this.#sends.push(ms)
    this.#slowest[kind] = Math.max(this.#slowest[kind] ?? 0, Math.round(ms))
  }

  #fail(why: string, count = 1): void {
    this.#failures[why] = (this.#failures[why] ?? 0) + count
  }
}

let victim: Victim | undefined
process.on('message', async (order: VictimOrder) => {
  if (order.kind === 'start') {
    victim = new Victim(order.account)
    await victim.start()
    process.send!('started')
  } else process.send!(await victim!.stop())
})
process.once('disconnect', () => process.exit())
