import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createParser } from 'eventsource-parser'
import { type Corpus, parsed, type Step } from './corpus.ts'

const ANSWER_MS = 30_000
const BOUNDARY = '----conformance7f3a9c'
const agent = new Agent({ keepAlive: true })

export interface Answer {
  readonly status?: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON; undefined if it is none. */
  readonly json?: unknown
}

/** Sends requests as the identities of a corpus. */
export class Client {
  readonly #tokens = new Map<string, Promise<string | null>>()
  /** Collections whose ids equal their names. PocketBase refuses that: there they get `prefix`. */
  readonly #ownIds: ReadonlySet<string>
  readonly url: string
  readonly corpus: Pick<Corpus, 'schema' | 'identities'>
  readonly prefix: string

  constructor(url: string, corpus: Pick<Corpus, 'schema' | 'identities'>, prefix = '') {
    this.url = url
    this.corpus = corpus
    this.prefix = prefix
    this.#ownIds = new Set(corpus.schema.filter(({ id, name }) => id === name).map(({ id }) => id))
  }

  /** The answer to a step, without the prefix in its ids. */
  async request(step: Step): Promise<Answer> {
    const token = step.as ? await this.token(step.as) : null
    const { type, data } = this.#body(step)
    const own = Object.entries(step.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ])
    const headers = {
      ...(token && { authorization: token }),
      ...(type && { 'content-type': type }),
    }
    Object.assign(
      headers,
      Object.fromEntries(own),
      data && { 'content-length': Buffer.byteLength(data) },
    )
    const response = await this.send(step, headers, data)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const text = this.plain(unpacked(Buffer.concat(chunks), response.headers['content-encoding']))
    return { status: response.statusCode, headers: response.headers, text, json: parsed(text) }
  }

  /** The path goes out as it is written: `fetch` would normalize it. */
  send(step: Step, headers: object, data?: string): Promise<IncomingMessage> {
    const { hostname, port } = new URL(this.url)
    const { method = 'GET', path } = step
    return new Promise((resolve, reject) => {
      const sent = request(
        { hostname, port, method, path, agent, headers: { ...headers } },
        resolve,
      )
      sent.on('error', reject)
      sent.setTimeout(ANSWER_MS, () => sent.destroy(new Error('no answer within 30 s')))
      sent.end(data)
    })
  }

  plain(text: string): string {
    return this.prefix ? text.replaceAll(this.prefix, '') : text
  }

  /** `ids` of collections as the server has them. */
  prefixed(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return value.map((item) => this.prefixed(item))
    if (value !== null && typeof value === 'object')
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, this.prefixed(item, name)]),
      )
    const isId = (key === 'id' || key === 'collectionId') && this.#ownIds.has(String(value))
    return isId ? this.prefix + value : value
  }

  token(name: string): Promise<string | null> {
    const known = this.#tokens.get(name) ?? this.#signIn(name)
    this.#tokens.set(name, known)
    return known
  }

  async #signIn(name: string): Promise<string | null> {
    const identity = this.corpus.identities[name]
    if (identity === undefined) throw new Error(`unknown identity ${name}`)
    if (identity === null) return null
    const { collection, id, impersonate, ...body } = identity
    const path = `/api/collections/${collection}/${impersonate ? `impersonate/${id}` : 'auth-with-password'}`
    const { status, text, json } = await this.request({
      as: impersonate,
      method: 'POST',
      path,
      body,
    })
    if (status !== 200)
      throw new Error(`cannot sign in as ${name}: ${status} ${text.slice(0, 200)}`)
    return (json as { token: string }).token
  }

  #body({ path = '', body, raw, multipart }: Step): { type?: string; data?: string } {
    if (multipart) {
      const parts = multipart.map(
        ([name, value, file]) =>
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file ? `; filename="${file}"` : ''}\r\n\r\n${value}\r\n`,
      )
      return {
        type: `multipart/form-data; boundary=${BOUNDARY}`,
        data: `${parts.join('')}--${BOUNDARY}--\r\n`,
      }
    }
    if (raw !== undefined || body === undefined) return { data: raw }
    const isOfCollections = path.startsWith('/api/collections') && !path.includes('/records')
    const data = JSON.stringify(isOfCollections ? this.prefixed(body) : body)
    return { type: 'application/json', data }
  }
}

function unpacked(data: Buffer, encoding: string | undefined): string {
  if (data.length > 0 && encoding === 'gzip') return gunzipSync(data).toString()
  if (data.length > 0 && encoding === 'br') return brotliDecompressSync(data).toString()
  return data.toString()
}

/** A realtime connection that keeps what came. */
export class EventStream {
  readonly #response: IncomingMessage
  #events: object[] = []

  private constructor(response: IncomingMessage, client: Client) {
    this.#response = response
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        const text = client.plain(data)
        this.#events.push({
          ...(id && { id }),
          ...(event && { event }),
          data: parsed(text) ?? text,
        })
      },
    })
    response.setEncoding('utf8').on('data', (text) => parser.feed(text))
    response.on('error', () => {})
  }

  static async open(client: Client): Promise<[EventStream, Answer]> {
    const response = await client.send({ path: '/api/realtime' }, { accept: 'text/event-stream' })
    response.socket.setTimeout(0)
    const stream = new EventStream(response, client)
    const json = response.statusCode === 200 ? await stream.take(1, 5_000, 0) : []
    return [
      stream,
      { status: response.statusCode, headers: response.headers, text: 'events', json },
    ]
  }

  /** Waits up to `withinMs` for `count` events, then `quietMs` for unwanted ones. */
  async take(count: number, withinMs: number, quietMs: number): Promise<object[]> {
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    for (const end = Date.now() + withinMs; this.#events.length < count && Date.now() < end; )
      await pause(5)
    await pause(quietMs)
    return this.#events.splice(0)
  }

  close(): void {
    this.#response.destroy()
  }
}
