import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from './smsgate-events.ts'
import { emit, hear, type InboxText, postHooks } from './smsgate-inbox.ts'
import {
  awaitRadio,
  noteSent,
  report,
  sendPending,
  take,
  type WireMessage,
} from './smsgate-sender.ts'
import { PhoneStore } from './smsgate-store.ts'
import { UniqueWork } from './smsgate-work.ts'

// A phone with the SMSGate app: it does what the app's source does, in its own words and with its waits,
// which are scaled down. Sources are named as in the app (capcom6/android-sms-gateway, June 2026).

export interface PhoneOptions {
  /** Where the app's routes are: what its owner typed. */
  readonly url: string
  /** Where its databases are. */
  readonly folder: string
  /** Of the app, as `1.68.0`. */
  readonly version: string
  /** Whether it is in its owner's work hours (app 1.69 and later). */
  readonly isAtWork: () => boolean
  /** How far its clock is ahead. */
  readonly clockMs: number
  /** Waits of the app, times this. */
  readonly scale: number
  /** The pause after each text, and how long the radio takes to say what became of it. */
  readonly sendMs: () => number | Promise<number>
  readonly radioMs: () => number
  /**
   * How long Android takes to accept a text, the database to keep one, and the work manager to begin some
   * work.
   */
  readonly callMs: () => number
  readonly insertMs: () => number
  readonly workMs: () => number
}

/** Status 0: none. */
export interface PhoneAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server says
  readonly body: any
}

const PING_UNIT_MS = 1_000
/** The wait before the first repetition of a call that failed. */
const RETRY_MS = 10_000
const NOTHING: PhoneAnswer = { status: 0, body: undefined }

/**
 * A phone. `start` is the app's start, `kill` its end without a word; a new one with the same folder is the
 * same phone.
 */
export class Phone {
  readonly options: PhoneOptions
  readonly store: PhoneStore
  isOn = false
  /** What the app could not make sense of. */
  readonly faults: unknown[] = []
  /** What Android has received, whether the app was there or not. */
  inbox: InboxText[] = []
  pulls = 0
  /** What its owner typed there. */
  privateToken = ''
  /** The app's event bus stands still. */
  isDeaf = false
  /** Texts that are on air, and not yet noted as such. */
  readonly calling = new Set<string>()
  readonly sender: UniqueWork
  readonly #puller: UniqueWork
  streamlessUntil = 0
  #stream = new AbortController()
  #off = new AbortController()

  constructor(options: PhoneOptions) {
    this.options = options
    this.store = new PhoneStore(options.folder)
    this.sender = new UniqueWork(options.workMs, (stop) => sendPending(this, stop))
    this.#puller = new UniqueWork(options.workMs, (stop) => this.#pull(stop))
  }

  /** Its own time. */
  now = (): number => Date.now() + this.options.clockMs
  stamp = (): string => new Date(this.now()).toISOString()
  scaled = (ms: number): number => ms * this.options.scale
  /** Waits before the next try: longer after each, up to 16 times as long. */
  backOff = (firstMs: number, tries: number): Promise<void> =>
    sleep(this.scaled(firstMs * 2 ** Math.min(tries, 4)))

  /** Joins: `Code 123456`, `Basic …`, or nothing, as the app does by itself after a 401. */
  async register(authorization: string): Promise<number> {
    const answer = await this.call('POST', '/device', this.#device(), authorization)
    if (answer.status === 201) this.store.write({ kind: 'registered', registration: answer.body })
    return answer.status
  }

  #device = () => ({
    name: 'Google/oriole',
    pushToken: null,
    simCards: [
      { slotIndex: 0, simNumber: 1, phoneNumber: '****1234', carrierName: '****', iccid: '****' },
    ],
  })

  /** GatewayService.start, MessagesService.start, WebHooksService.start */
  start(): void {
    this.isOn = true
    this.#off = new AbortController()
    for (const id of [...this.store.owed]) this.run(() => report(this, id))
    for (const id of this.store.messages.keys()) awaitRadio(this, id)
    this.run(() => this.sender.start('replace'))
    this.wake()
    this.run(() => this.#refresh())
    this.run(() => postHooks(this))
    this.run(() => this.#ping())
    this.run(() => listen(this))
  }

  /** Ends with the stream that is open, or with the app. */
  streamSignal(): AbortSignal {
    this.#stream = new AbortController()
    return AbortSignal.any([this.#off.signal, this.#stream.signal])
  }

  /** The stream is cut, and cannot be opened for a while. */
  cutStream(ms: number): void {
    this.streamlessUntil = Date.now() + ms
    this.#stream.abort()
  }

  /**
   * Never between a text's way to the radio and the note of it: then the app sends it again, and no server
   * sees it.
   */
  kill(): void {
    for (const id of this.calling) noteSent(this, id)
    this.isOn = false
    this.#off.abort()
    this.sender.stop()
    this.#puller.stop()
  }

  get isPulling(): boolean {
    return this.#puller.isBusy
  }

  get isKilled(): boolean {
    return this.#off.signal.aborted
  }

  /** PullMessagesWorker: a new one replaces one that is under way. */
  wake(): void {
    this.run(() => this.#puller.start('replace'))
  }

  /** The answer to a pull that is replaced is lost. Once the app reads an answer, it reads all of it. */
  async #pull(stop: AbortSignal): Promise<void> {
    this.pulls++
    for (let retry = 0; this.isOn && !stop.aborted; retry++) {
      const order = this.store.settings.messages?.processing_order === 'FIFO' ? 'fifo' : 'lifo'
      const { status, body } = await this.call(
        'GET',
        `/message?order=${order}`,
        undefined,
        undefined,
        stop,
      )
      if (stop.aborted || !this.isOn) return
      if (status === 200) {
        for (const message of body as WireMessage[]) await take(this, message)
        return
      }
      await this.backOff(RETRY_MS, retry)
    }
  }

  /** RegistrationWorker, SettingsUpdateWorker, WebhooksUpdateWorker */
  async #refresh(): Promise<void> {
    await this.updateDevice()
    await this.#load('/webhooks', (list) => this.store.write({ kind: 'webhooks', list }))
    await this.#load('/settings', (settings) => this.store.write({ kind: 'settings', settings }))
    emit(this, 'app:started', { simCards: this.#device().simCards })
  }

  // biome-ignore lint/suspicious/noExplicitAny: whatever the server says
  async #load(path: string, keep: (body: any) => void): Promise<void> {
    while (this.isOn) {
      const { status, body } = await this.call('GET', path)
      if (status === 200 && this.isOn) return keep(body)
      if (status === 401) return
      await sleep(this.scaled(RETRY_MS))
    }
  }

  /**
   * GatewayService.registerDevice: who is told 401 registers anew, with the private token if there is one.
   */
  async updateDevice(): Promise<number> {
    const { id } = this.store.registration ?? { id: '' }
    for (;;) {
      const { status } = await this.call('PATCH', '/device', { id, ...this.#device() })
      if (status === 401) return this.register(this.privateToken && `Bearer ${this.privateToken}`)
      if (status !== 0 || !this.isOn) return status
      await sleep(this.scaled(RETRY_MS))
    }
  }

  /** PingService: pulls, and tells the webhook. */
  async #ping(): Promise<void> {
    while (this.isOn) {
      const seconds = Number(this.store.settings.ping?.interval_seconds ?? 0)
      await sleep(this.scaled(PING_UNIT_MS * (seconds || 60)))
      if (!this.isOn || !seconds) continue
      emit(this, 'system:ping', { health: {} })
      this.wake()
    }
  }

  /** A text comes in: the app hears of it if it runs. */
  receive(text: InboxText): void {
    this.inbox.push(text)
    if (this.isOn) hear(this, text)
  }

  /** A request with the phone's token. Status 0: no answer. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    authorization?: string,
    signal?: AbortSignal,
  ): Promise<PhoneAnswer> {
    const own = this.store.registration ? `Bearer ${this.store.registration.token}` : ''
    const auth = authorization ?? own
    return this.fetch(this.options.url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        'user-agent': `me.capcom.smsgateway/${this.options.version}`,
        ...(auth && { authorization: auth }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([this.#off.signal, ...(signal ? [signal] : [])]),
    })
  }

  async fetch(url: string, init: RequestInit): Promise<PhoneAnswer> {
    try {
      const response = await fetch(url, init)
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
    } catch {
      return NOTHING
    }
  }

  /** Does something on the side; what goes wrong is kept. */
  run(work: () => Promise<unknown>): void {
    work().catch((error) => this.faults.push(error))
  }

  later(ms: number, work: () => void): void {
    setTimeout(() => this.isOn && this.#try(work), ms)
  }

  #try(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.faults.push(error)
    }
  }
}
