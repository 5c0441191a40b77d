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
import type { SettingsStore } from '../settings/settings.ts'
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
  /** This process among the workers behind the port; undefined for one that stands alone. */
  readonly workers: WorkerMember | undefined
  /** Aborts when the server is told to stop; `/api/ready` then fails. */
  readonly stopping: AbortSignal
  /** Aborts when it begins to stop; waiting claims then end. */
  readonly closing: AbortSignal
  /** Aborts when all other requests are done; event streams then end. */
  readonly ending: AbortSignal
}

export interface Protocol extends CountedProtocol, DescribedRoutes {
  readonly errorForm: ErrorForm
  readonly routes: (services: Services) => Hono<Env>
  /** Whether its clients take a redirect for a success. */
  readonly isNeverRedirected?: boolean
  readonly canonicalPath?: (path: string) => string
  /** `canonicalPath` changes only paths that contain this. */
  readonly pathMark?: string
  readonly keyIn?: (authorization: string) => string | undefined
}

export type ErrorForm = (c: Ctx, error: ApiError | GatewayError) => Response

/** A request's body: values by key, and the files of a multipart form. */
export interface RequestBody {
  readonly values: Record<string, unknown>
  readonly files: Uploads
  /** True for a JSON body: its keys match in upper or lower case (see `Shape`). */
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
    /** How errors are written, if not as the path says. */
    errorForm?: ErrorForm
    guestLimit?: number
    services?: Services
    /** The caller whose account a large body and the answer count for. */
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

/** The first value of each parameter. Drops pairs with a malformed escape or any semicolon, as Go does. */
export function readQuery(url: string): Record<string, string> {
  const start = url.indexOf('?')
  if (start < 0) return {}
  const values = new Map<string, string>()
  for (const [key, value] of readPairs(url.slice(start + 1))) if (!values.has(key)) values.set(key, value)
  return Object.fromEntries(values)
}

/** Whether a text has pairs that `readPairs` drops. Go refuses such a form. */
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

/** Decodes `+` and escapes; undefined for a malformed escape. Bytes that are not UTF-8 become U+FFFD. */
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

/** Bodies and answers up to this size are not counted. Parsing such a body takes less than 10 ms. */
export const SMALL_BYTES = 64 << 10

/** A request's part of `admission.memory`: its body until it is read, its answer until it is sent. */
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

  /** Reserves room for the body until `leaveBody`. Waits for the holder's turn first. Throws 429. */
  async roomForBody(declared?: number): Promise<GrowingRoom> {
    await this.turn(0)
    this.#body = new GrowingRoom(this.#share, declared)
    return this.#body
  }

  leaveBody(): void {
    this.#body?.leave()
  }

  /** Waits for a turn for work that takes as long as parsing `bytes` bytes. Throws 429. */
  async turn(bytes: number): Promise<void> {
    if (!this.#isSuperuser) await admission.bodyBytes.pay(this.holder, bytes)
    await admission.bodySlices.next()
  }

  /** Reserves room for an answer of exactly this many bytes. Throws RetryLater. */
  hold(bytes: number): void {
    this.#resize(bytes, (more) => this.#share.takeNow(more))
  }

  /** Waits until there is room for an answer of at least this many bytes. Throws RetryLater. */
  async wait(bytes: number): Promise<void> {
    const more = bytes - this.#answer
    if (more <= 0) return
    await this.#share.take(more)
    this.#answer = bytes
  }

  /** Counts an answer without checking for room: what it answers is already stored. */
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
