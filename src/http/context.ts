import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import { admission } from '../admission/admission.ts'
import { GrowingRoom, type Share } from '../admission/budget.ts'
import type { Holder } from '../admission/holder.ts'
import type { AuthServices } from '../auth/auth-services.ts'
import type { Backups } from '../backup/backups.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import type { Config } from '../config.ts'
import type { ApiError, GatewayError } from '../errors.ts'
import type { Uploads } from '../files/upload.ts'
import type { Logger } from '../log.ts'
import type { RequestLog } from '../logs/request-log.ts'
import type { CountedProtocol, Traffic } from '../metrics/traffic.ts'
import type { DescribedRoutes } from '../openapi/document.ts'
import type { Realtime } from '../realtime/hub.ts'
import type { Extensions } from '../records/extension.ts'
import type { AuthRecord } from '../request/request.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import type { Sending } from '../sms/campaigns/campaign.ts'
import type { OtherForms } from '../webhooks/call-webhook.ts'
import type { TimedJob } from '../work/jobs.ts'
import type { WorkerMember } from '../work/processes.ts'

export interface Services {
  readonly store: CatalogStore
  readonly settings: SettingsStore
  readonly config: Config
  readonly log: Logger
  readonly logs: RequestLog
  readonly extensions: Extensions
  readonly sending: Sending
  readonly textCode: AuthServices['textCode']
  readonly jobs: readonly TimedJob[]
  readonly protocols: readonly Protocol[]
  readonly otherForms: OtherForms
  readonly backups: Backups
  readonly realtime: Realtime
  readonly traffic: Traffic
  /** This process as one of several workers that share the port; undefined if it runs alone. */
  readonly workers: WorkerMember | undefined
  /** Aborts when the server is told to stop. `/api/ready` then answers 503. */
  readonly stopping: AbortSignal
  /** Aborts when the server begins to stop. Requests of phones that wait for texts to send then end. */
  readonly closing: AbortSignal
  /** Aborts when a stopping server has finished all other requests. Event streams then end. */
  readonly ending: AbortSignal
}

export interface Protocol extends CountedProtocol, DescribedRoutes {
  readonly errorForm: ErrorForm
  readonly routes: (services: Services) => Hono<Env>
  /** Whether requests are never redirected: the protocol's clients take a redirect for a success. */
  readonly isNeverRedirected?: boolean
  readonly canonicalPath?: (path: string) => string
  /** `canonicalPath` is called only for paths that contain this text. */
  readonly pathMark?: string
  readonly keyIn?: (authorization: string) => string | undefined
}

export type ErrorForm = (c: Ctx, error: ApiError | GatewayError) => Response

export interface RequestBody {
  readonly values: Record<string, unknown>
  readonly files: Uploads
  /** Whether the body is JSON. The case of its keys then does not matter (see `Shape`). */
  readonly isJson?: boolean
  readonly release?: () => Promise<void>
}

export type Env = {
  Bindings: HttpBindings
  Variables: {
    query?: Record<string, string>
    body?: RequestBody
    json?: Promise<unknown>
    leaveRequest?: () => void
    /** Writes this request's errors. If absent, the path decides their format. */
    errorForm?: ErrorForm
    guestLimit?: number
    services?: Services
    /** The caller to whom the memory of a large body and of the answer is charged. */
    asker?: AuthRecord | null
    memory?: RequestMemory
  }
}
export type Ctx = Context<Env>

/** The first value of each query parameter. Parses the query once per request. */
export function queryOf(c: Ctx): Record<string, string> {
  const known = c.get('query')
  if (known) return known
  const query = readQuery(c.env.incoming.url ?? '')
  c.set('query', query)
  return query
}

/** The first value of each query parameter. As in Go, drops pairs with a malformed escape or a semicolon. */
export function readQuery(url: string): Record<string, string> {
  const start = url.indexOf('?')
  if (start < 0) return {}
  const values = new Map<string, string>()
  for (const [key, value] of readPairs(url.slice(start + 1))) if (!values.has(key)) values.set(key, value)
  return Object.fromEntries(values)
}

/** Whether a query or form has pairs that `readPairs` drops. As in Go, such a form is refused. */
export const isMalformed = (text: string): boolean =>
  text.includes(';') || (text.includes('%') && text.replace(ESCAPE, '').includes('%'))

export function readPairs(text: string): [string, string][] {
  const pairs: [string, string][] = []
  for (const part of text.split('&')) {
    if (part === '' || part.includes(';')) continue
    const cut = part.indexOf('=')
    const key = unescapeText(cut < 0 ? part : part.slice(0, cut))
    const value = cut < 0 ? '' : unescapeText(part.slice(cut + 1))
    if (key !== undefined && value !== undefined) pairs.push([key, value])
  }
  return pairs
}

const ESCAPE = /%[0-9a-fA-F]{2}/g

/** Decodes `+` and %-escapes; undefined for a malformed escape. Bytes that are not UTF-8 become U+FFFD. */
function unescapeText(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  if (spaced.replace(ESCAPE, '').includes('%')) return undefined
  try {
    return decodeURIComponent(spaced)
  } catch {
    const bytes = spaced.replace(ESCAPE, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
    return Buffer.from(bytes, 'latin1').toString('utf8')
  }
}

/** Bodies and answers up to this size reserve no memory. Parsing such a body takes less than 10 ms. */
export const SMALL_BYTES = 64 << 10

/** The memory that a request's body and answer reserve from the budget that all requests share. */
export class RequestMemory {
  readonly holder: Holder
  readonly #isSuperuser: boolean
  readonly #share: Share
  #body: GrowingRoom | undefined
  #answer = 0

  constructor(holder: Holder, isSuperuser = false) {
    this.holder = holder
    this.#isSuperuser = isSuperuser
    this.#share = admission.memory.open(holder)
  }

  get answer(): number {
    return this.#answer
  }

  /**
   * Waits for the client's turn on the CPU, then reserves memory for the body until `leaveBody`. Throws 429.
   */
  async roomForBody(declared?: number): Promise<GrowingRoom> {
    await this.turn(0)
    this.#body = new GrowingRoom(this.#share, declared)
    return this.#body
  }

  leaveBody(): void {
    this.#body?.leave()
  }

  /** Waits until the client may use the CPU for as long as parsing `bytes` bytes takes. Throws 429. */
  async turn(bytes: number): Promise<void> {
    if (!this.#isSuperuser) await admission.bodyBytes.pay(this.holder, bytes)
    await admission.bodySlices.next()
  }

  /** Changes the reservation for the answer to this many bytes. Throws RetryLater if there is no room. */
  hold(bytes: number): void {
    this.#resize(bytes, (more) => this.#share.takeNow(more))
  }

  /** Waits for room for an answer of at least this many bytes, then reserves it. Throws RetryLater. */
  async wait(bytes: number): Promise<void> {
    const more = bytes - this.#answer
    if (more <= 0) return
    await this.#share.take(more)
    this.#answer = bytes
  }

  /** Reserves memory for an answer even without room, because the write that it reports is already stored. */
  force(bytes: number): void {
    this.#resize(bytes, (more) => this.#share.force(more))
  }

  close(): void {
    this.#share.close()
  }

  #resize(bytes: number, take: (more: number) => void): void {
    const more = bytes - this.#answer
    if (more > 0) take(more)
    else this.#share.giveBack(-more)
    this.#answer = bytes
  }
}
