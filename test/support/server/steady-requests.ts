import { Agent, request } from 'node:http'
import type { Client } from './server-with-devices.ts'

const TICK_MS = 20
/** Every tenth request sends a text, the others view its account. */
const SENDS = 10
const MAX_CONNECTIONS = 100
/** Requests without an answer, some of which wait for a connection. */
const MAX_OPEN = 200
const FIRST_NUMBER = 20_000_000

interface SteadyOptions {
  readonly url: string
  readonly user: Client
  readonly perSecond: number
}

/** Requests at a steady rate, or as many as are answered, over connections that stay open. */
export class SteadyRequests {
  /** What failed, by how often. */
  readonly faults = new Map<string, number>()
  answered = 0
  slowestMs = 0
  /** How many texts were accepted, each to a number of its own. */
  accepted = 0
  readonly #options: SteadyOptions
  readonly #agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS })
  readonly #open = new Set<Promise<void>>()
  readonly #timer: NodeJS.Timeout
  readonly #beganMs = performance.now()
  #begun = 0

  constructor(options: SteadyOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#catchUp(), TICK_MS)
  }

  /** Stops, and resolves when each request has its answer. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#open)
    this.#agent.destroy()
  }

  #catchUp(): void {
    const due = ((performance.now() - this.#beganMs) / 1_000) * this.#options.perSecond
    for (; this.#begun < due && this.#open.size < MAX_OPEN; this.#begun++) {
      const asking = this.#begun % SENDS === 0 ? this.#send(this.#begun) : this.#view()
      const noted = asking.catch((error: Error) => this.#note(error.message))
      this.#open.add(noted)
      void noted.then(() => this.#open.delete(noted))
    }
  }

  #view(): Promise<void> {
    return this.#ask('GET', `/api/collections/users/records/${this.#options.user.id}`)
  }

  async #send(number: number): Promise<void> {
    const recipients = [`+49151${FIRST_NUMBER + number}`]
    await this.#ask('POST', '/api/sms/send', { recipients, body: 'Hello' })
    this.accepted++
  }

  #ask(method: string, path: string, body?: object): Promise<void> {
    const beganMs = performance.now()
    const { url, user } = this.#options
    return new Promise((resolve, reject) => {
      const headers = { authorization: user.token, 'content-type': 'application/json' }
      const asked = request(url + path, { method, headers, agent: this.#agent }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () => {
          this.slowestMs = Math.max(this.slowestMs, performance.now() - beganMs)
          if (response.statusCode !== 200)
            return reject(new Error(`${method} ${response.statusCode} ${text.slice(0, 200)}`))
          this.answered++
          resolve()
        })
      })
      asked.on('error', (error) => reject(new Error(`${method} ${error.message}`)))
      asked.end(body && JSON.stringify(body))
    })
  }

  #note(fault: string): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1)
  }
}
