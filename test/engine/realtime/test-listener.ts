import { stopLater } from '../../support/stops.ts'
import { ask, type Json } from './realtime-server.ts'

/** One event as it came. */
export interface Heard {
  readonly event: string
  readonly data: Json
  readonly at: number
}

/** A connection, without any library: what comes is kept as it came. It is closed after the test file. */
export class TestListener {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly heard: Heard[] = []
  /** All that came, to the letter. */
  raw = ''
  id = ''
  /** Fulfilled when the connection is over. */
  readonly ended: Promise<void>
  readonly #hangUp: AbortController
  #arrived: () => void = () => {}

  private constructor(url: string, response: Response, hangUp: AbortController) {
    this.url = url
    this.status = response.status
    this.headers = response.headers
    this.#hangUp = hangUp
    stopLater(() => this.close())
    this.ended = this.#read(response).catch(() => {})
  }

  /** Connects, and waits for PB_CONNECT. */
  static async open(url: string, headers: Record<string, string> = {}): Promise<TestListener> {
    const hangUp = new AbortController()
    const response = await fetch(`${url}/api/realtime`, { headers, signal: hangUp.signal })
    const ear = new TestListener(url, response, hangUp)
    while (ear.id === '') await ear.#more()
    return ear
  }

  /** Connects and subscribes. */
  static async on(url: string, token: string, ...subscriptions: string[]): Promise<TestListener> {
    const ear = await TestListener.open(url)
    await ear.subscribe(token, ...subscriptions)
    return ear
  }

  async subscribe(token: string, ...subscriptions: string[]): Promise<void> {
    await ask(this.url, token, 'POST', 'realtime', { clientId: this.id, subscriptions })
  }

  /** Waits for that many events since the last call, and a little longer for ones that should not come. */
  async next(count: number, { quietMs = 100, withinMs = 40_000 } = {}): Promise<Heard[]> {
    const end = performance.now() + withinMs
    while (this.heard.length < count) {
      if (performance.now() > end) throw new Error(`${this.heard.length} of ${count} events came`)
      await this.#more(end - performance.now())
    }
    await new Promise((resolve) => setTimeout(resolve, quietMs))
    return this.heard.splice(0)
  }

  /** The same as `event action title` each: what most tests look at. */
  async titles(count: number): Promise<string[]> {
    const events = await this.next(count)
    return events.map(({ event, data }) => `${event} ${data.action} ${data.record.title}`)
  }

  async close(): Promise<void> {
    this.#hangUp.abort()
    await this.ended
  }

  async #more(withinMs = 40_000): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs)
      this.#arrived = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #read(response: Response): Promise<void> {
    let rest = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      this.raw += chunk
      rest += chunk
      const frames = rest.split('\n\n')
      rest = frames.pop()!
      for (const frame of frames) this.#take(frame)
      this.#arrived()
    }
  }

  #take(frame: string): void {
    const [, id = '', event = '', data = ''] =
      /^(?::\n)*id:(.*)\nevent:(.*)\ndata:(.*)$/.exec(frame) ?? []
    if (event === 'PB_CONNECT') this.id = id
    else this.heard.push({ event, data: JSON.parse(data), at: performance.now() })
  }
}

/** A topic with options, as the SDK writes it. */
export const withOptions = (topic: string, options: object) =>
  `${topic}?options=${encodeURIComponent(JSON.stringify(options))}`
