import { Agent, get, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, must } from '../../support/server/server-with-devices.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { Ledger } from './ledger.ts'
import { EXPORT, QUESTIONS } from './questions.ts'

export interface Account {
  readonly user: Client
  readonly phones: readonly Client[]
}

const KINDS = ['sends', 'codes', 'incoming', 'lists', 'exports'] as const

/** How many requests of each kind are made in a second. */
export type Rates = Readonly<Record<(typeof KINDS)[number], number>>

/** Accounts with an event stream each: the first ones. */
export const WATCHED = 10
const CLAIM = { limit: 50, wait: 5 }
const DELIVERY_MS = 50
/** A stream ends after 30 minutes, as PocketBase's do. */
const RENEW_MS = 20 * 60_000
const TICK_MS = 10
const EVENTS = ['message.sent', 'message.delivered', 'message.received']
/** A webhook by templates, whose calls tell what others tell. */
const TEMPLATE = { format: 'template', body: { type: '{{type}}', data: { id: '{{data.id}}' } } }
const WEBHOOKS = '/api/collections/webhooks/records'
const KEYS = '/api/collections/api_keys/records'
const VENDEL_SEND = '/vendel/api/sms/send'
/** A campaign once an hour, from the first full minute on that is so far ahead: it is held for 10 s. */
const CAMPAIGN_AHEAD_MS = 15_000
const CAMPAIGN = Array.from({ length: 20 }, (_, i) => `+49990000${100 + i}`)
/** Every tenth text contains the word that a list searches for. */
const [TEXT, PARCEL, PARCEL_EVERY] = ['Your code is 493817.', 'Your parcel arrives tomorrow.', 10]

/** Accounts that send, phones that claim and report, webhooks, streams and lists, over some servers. */
export class Load {
  readonly ledger = new Ledger()
  readonly #urls: readonly string[]
  readonly #accounts: readonly Account[]
  readonly #agent = new Agent({ keepAlive: true })
  readonly #running = new Set<Promise<unknown>>()
  readonly #ends: (() => unknown)[] = []
  readonly #keys = new Map<Client, string>()
  /** Who asked for the code of a number. */
  readonly #askers = new Map<string, Client>()
  /** The number to which an account sent last. */
  readonly #latest = new Map<Client, string>()
  #last = 100_000_000
  #turn = 0
  #question = 0
  #isOver = false

  private constructor(urls: readonly string[], accounts: readonly Account[]) {
    this.#urls = urls
    this.#accounts = accounts
  }

  /**
   * Makes the webhooks, opens the streams and switches the phones on. `isMixed`: with webhooks by templates,
   * sends through another door and a repeating campaign. `streams`: how many, of the accounts in turn.
   */
  static async start(
    urls: readonly string[],
    accounts: readonly Account[],
    { isMixed = false, streams = WATCHED }: { isMixed?: boolean; streams?: number } = {},
  ): Promise<Load> {
    const load = new Load(urls, accounts)
    const { ledger } = load
    const receiver = await startReceiver()
    load.#ends.push(receiver.stop)
    receiver.behave(({ event }, res) => {
      res.writeHead(204).end()
      receiver.told.length = 0
      ledger.called(event.type, event.data.id)
    })
    for (const [i, { user }] of accounts.entries()) {
      const form = isMixed && i % 2 === 0 ? TEMPLATE : {}
      await must(user, 'POST', WEBHOOKS, {
        user: user.id,
        url: receiver.url,
        events: EVENTS,
        ...form,
      })
    }
    if (isMixed) await load.#mix()
    for (let i = 0; i < streams; i++) await load.#watch(accounts[i % accounts.length]!.user)
    for (const { phones } of accounts) for (const phone of phones) void load.#beAPhone(phone)
    return load
  }

  async #mix(): Promise<void> {
    for (const { user } of this.#accounts) {
      const { key } = await must(user, 'POST', KEYS, { user: user.id, name: 'Vendel' })
      this.#keys.set(user, key)
    }
    const first = new Date(Date.now() + 60_000 + CAMPAIGN_AHEAD_MS)
    const repeat = { cron: `${first.getUTCMinutes()} * * * *`, time_zone: 'UTC' }
    const campaign = { body: 'Open again', recipients: CAMPAIGN, repeat }
    await must(this.#accounts.at(-1)!.user, 'POST', '/api/campaigns', campaign)
  }

  /** Asks for so much a second until `signal` aborts, whatever the answers take. */
  async keepUp(rates: Rates, signal: AbortSignal): Promise<void> {
    const ask = {
      sends: () => this.send(),
      codes: () => this.#startCode(),
      incoming: () => this.#receive(),
      lists: () => this.#list(),
      exports: () => this.#export(),
    }
    const due = { sends: 0, codes: 0, incoming: 0, lists: 0, exports: 0 }
    for (let at = performance.now(); !signal.aborted; ) {
      await sleep(TICK_MS)
      const now = performance.now()
      for (const kind of KINDS) {
        due[kind] += (rates[kind] * (now - at)) / 1000
        for (; due[kind] >= 1; due[kind]--) void this.#run(ask[kind]())
      }
      at = now
    }
  }

  async send(): Promise<void> {
    const [account, { user }] = this.#next()
    const to = `+49${this.#last++}`
    const body = { recipients: [to], body: this.#last % PARCEL_EVERY === 0 ? PARCEL : TEXT }
    this.#latest.set(user, to)
    const key = this.#last % 5 === 0 ? this.#keys.get(user) : undefined
    const answer = key
      ? await this.#ask('vendel', key, 'POST', VENDEL_SEND, body)
      : await this.#ask('send', user.token, 'POST', '/api/sms/send', body)
    for (const id of answer?.message_ids ?? []) {
      this.ledger.sent.add(id)
      this.ledger.life(id, account)
    }
  }

  async #startCode(): Promise<void> {
    const [, { user }] = this.#next()
    const to = `+49${this.#last++}`
    this.#askers.set(to, user)
    await this.#ask('code', user.token, 'POST', '/api/verify', { to })
  }

  /** The person types the code that came. */
  async #check({ token }: Client, to: string, body: string): Promise<void> {
    const code = /\b\d{6}\b/.exec(body)?.[0]
    const answer = await this.#ask('check', token, 'POST', '/api/verify/check', { to, code })
    if (answer?.status !== 'approved') this.ledger.refused(`a code is ${answer?.status}`)
  }

  /** How many texts codes and the campaign must have made. */
  get others(): number {
    return this.#askers.size + CAMPAIGN.length
  }

  /** Lets phones finish, then ends them. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.allSettled(this.#running)
    for (const end of this.#ends) await end()
    this.#agent.destroy()
  }

  /** Waits for the work to end. Notes its failure. */
  async #run(work: Promise<unknown>): Promise<void> {
    this.#running.add(work)
    try {
      await work
    } catch (error) {
      this.ledger.refused(String(error))
    } finally {
      this.#running.delete(work)
    }
  }

  #next(): [number, Account] {
    const account = this.#turn++ % this.#accounts.length
    return [account, this.#accounts[account]!]
  }

  async #list(): Promise<void> {
    const { user } = this.#next()[1]
    const { name, path } = QUESTIONS[this.#question++ % QUESTIONS.length]!
    const begin = performance.now()
    await this.#ask('list', user.token, 'GET', path(this.#latest.get(user) ?? ''))
    this.ledger.took(`list: ${name}`, performance.now() - begin)
  }

  async #export(): Promise<void> {
    await this.#ask('export', this.#next()[1].user.token, 'GET', EXPORT)
  }

  async #receive(): Promise<void> {
    const [account, { phones }] = this.#next()
    const items = [
      { from: `+49${this.#last++}`, body: 'Thank you', received_at: new Date().toISOString() },
    ]
    const answer = await this.#ask('incoming', phones[0]!.token, 'POST', '/api/devices/incoming', {
      items,
    })
    for (const id of answer?.ids ?? []) {
      this.ledger.received.add(id)
      this.ledger.life(id, account)
    }
  }

  /** Claims and reports until the load is over. A phone whose request fails notes that, and asks again. */
  async #beAPhone(phone: Client): Promise<void> {
    while (!this.#isOver) await this.#run(this.#claim(phone))
  }

  async #claim({ token }: Client): Promise<void> {
    const answer = await this.#ask('', token, 'POST', '/api/devices/claim', CLAIM)
    const items = (answer?.items ?? []) as {
      id: string
      attempt: number
      to: string
      body: string
    }[]
    for (const { id, attempt, to, body } of items) {
      this.ledger.life(id).attempts.add(attempt)
      const asker = this.#askers.get(to)
      if (asker) void this.#run(this.#check(asker, to, body))
    }
    if (items.length === 0) return
    const report = (status: string) => {
      const body = { items: items.map(({ id, attempt }) => ({ id, attempt, status })) }
      return this.#ask('report', token, 'POST', '/api/devices/report', body)
    }
    await report('sent')
    const deliver = async () => {
      await sleep(DELIVERY_MS)
      await report('delivered')
      for (const { id } of items) this.ledger.reported(id)
    }
    void this.#run(deliver())
  }

  /** Watches an account's messages. A new stream replaces the old one before the server ends that. */
  async #watch(client: Client): Promise<void> {
    const watch = { newest: 0 }
    await this.#openStream(client, watch, 0)
    const renew = setInterval(async () => {
      const next = watch.newest + 1
      await this.#openStream(client, watch, next)
      // events from before the subscription are still on their way to the old stream
      await sleep(1_000)
      watch.newest = next
    }, RENEW_MS)
    this.#ends.push(() => clearInterval(renew))
  }

  #openStream({ token }: Client, watch: { readonly newest: number }, own: number): Promise<void> {
    const url = this.#url()
    return new Promise((resolve, reject) => {
      const asking = get(`${url}/api/realtime`, { agent: false }, (stream) => {
        let text = ''
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          const frames = (text + chunk).split('\n\n')
          text = frames.pop()!
          for (const frame of frames) {
            const data = JSON.parse(/\ndata:(.*)$/.exec(frame)?.[1] ?? '{}')
            if (data.record)
              this.ledger.heard(data.record.status, data.record.id, own, watch.newest)
            if (!data.clientId) continue
            const body = { clientId: data.clientId, subscriptions: ['sms_messages/*'] }
            this.#ask('', token, 'POST', '/api/realtime', body).then(() => resolve(), reject)
          }
        })
        stream.on('close', () => {
          if (!this.#isOver && own >= watch.newest) this.ledger.refused('a stream was closed')
        })
      })
      asking.on('error', reject)
      this.#ends.push(() => asking.destroy())
    })
  }

  #url = (): string => this.#urls[Math.floor(Math.random() * this.#urls.length)]!

  /** The body of an answer; undefined, and noted, unless it is a success. `what`: whose time it is. */
  // biome-ignore lint/suspicious/noExplicitAny: the load looks into whatever came
  #ask(what: string, token: string, method: string, path: string, body?: object): Promise<any> {
    const begin = performance.now()
    const by = token.startsWith('psk_') ? { 'x-api-key': token } : { authorization: token }
    const headers = { ...by, 'content-type': 'application/json' }
    return new Promise((resolve, reject) => {
      const asking = request(
        `${this.#url()}${path}`,
        { method, headers, agent: this.#agent },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (chunk) => (text += chunk))
          answer.on('end', () => {
            if (what) this.ledger.took(what, performance.now() - begin)
            const isGood = answer.statusCode! < 300
            if (!isGood)
              this.ledger.refused(`${method} ${path} ${answer.statusCode} ${text.slice(0, 100)}`)
            const isJson = answer.headers['content-type']?.startsWith('application/json')
            resolve(isGood && isJson ? JSON.parse(text) : undefined)
          })
          answer.on('error', reject)
        },
      )
      asking.on('error', reject)
      asking.end(body && JSON.stringify(body))
    })
  }
}

/** Users with phones that their caller plays. */
export async function makeAccounts(
  count: number,
  phones: number,
  makeUser: () => Promise<Client>,
  pair: (user: Client) => Promise<Client>,
): Promise<Account[]> {
  const accounts: Account[] = []
  for (let i = 0; i < count; i++) {
    const user = await makeUser()
    const own: Client[] = []
    for (let n = 0; n < phones; n++) own.push(await pair(user))
    accounts.push({ user, phones: own })
  }
  return accounts
}
