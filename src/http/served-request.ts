import type { ServerResponse } from 'node:http'
import { recordKeyUse } from '../engine/auth/identify-key.ts'
import { readHeaderToken } from '../engine/auth/tokens.ts'
import type { Catalog, Store } from '../engine/collections/catalog.ts'
import type { Uploads } from '../engine/files/upload.ts'
import { isAuthFresh } from '../engine/records/check-auth-version.ts'
import { limitCatalog } from '../engine/records/check-rules.ts'
import { AnswerMeter } from '../engine/request/answer-limit.ts'
import type { AuthRecord, RequestContext, RequestInfo } from '../engine/request/request.ts'
import { type Holder, makeGuestHolder } from '../platform/limits/limit-holder.ts'
import { type Language, readAcceptLanguage } from '../portable/languages.ts'
import { BY_TOKEN, type Identity } from './identify-caller.ts'
import { RequestMemory } from './limit-request-memory.ts'
import { readQuery } from './query.ts'
import type { CallerServices, RouteLimits } from './route-limits.ts'
import { readClientIp } from './server/client-address.ts'
import { LimitedIncomingMessage, mayExceedSmall, readBodyLength } from './server/incoming-body.ts'

export interface RequestBody {
  readonly values: Record<string, unknown>
  readonly files: Uploads
  /** Whether the body is JSON. The case of its keys then does not matter (see `Shape`). */
  readonly isJson?: boolean
  readonly release?: () => Promise<void>
}

/**
 * An HTTP request: `c.env.incoming` of its route. Each question about it is answered once. Node makes one for
 * each request, `serve` begins its work.
 */
export class ServedRequest extends LimitedIncomingMessage {
  /** The row of its route; undefined for a path without one. */
  row: RouteLimits | undefined
  /** Ends its place. A request that only waits does so early. Undefined for requests that take no place. */
  leavePlace: (() => void) | undefined
  /** Maximum bytes of a guest's body, if that limits this one. */
  guestLimit = Number.POSITIVE_INFINITY
  /** The parsed body, once a route has read it. */
  body: RequestBody | undefined
  json: Promise<unknown> | undefined
  /** The caller to whom the memory of a large body and of the answer is charged; null for the network. */
  caller: AuthRecord | null = null
  services!: CallerServices
  /** As `readBodyLength`. */
  bodyLength = Number.POSITIVE_INFINITY
  /** As `mayExceedSmall`. */
  mayBeLarge = true
  /** The path by which it is routed, once its route is known. */
  path: string | undefined
  #outgoing: ServerResponse | undefined
  #ip: string | undefined
  #query: Readonly<Record<string, string>> | undefined
  #memory: RequestMemory | undefined
  #known: Identity | null | undefined
  /** The collections with which `#known` was found. */
  #knownIn: Catalog | undefined
  /** The collections with which the credentials were looked up in vain. */
  #unknownIn: Catalog | undefined

  serve(outgoing: ServerResponse, services: CallerServices): void {
    this.#outgoing = outgoing
    this.services = services
    this.bodyLength = readBodyLength(this)
    this.mayBeLarge = this.bodyLength > 0 && mayExceedSmall(this, this.bodyLength)
  }

  /** The client's address. Contract 8.5 */
  get ip(): string {
    this.#ip ??= readClientIp(this, this.services)
    return this.#ip
  }

  /** The language that its browser prefers among ours; undefined if it wants others. */
  get language(): Language | undefined {
    return readAcceptLanguage(this.headers['accept-language'])
  }

  /** The first value of each query parameter. */
  get query(): Readonly<Record<string, string>> {
    this.#query ??= readQuery(this.url ?? '')
    return this.#query
  }

  /** Its `Idempotency-Key`; undefined without one, and for a route that is not `idempotent`. */
  get idempotencyKey(): string | undefined {
    const key = this.row?.idempotent && this.headers['idempotency-key']
    return key === undefined ? undefined : String(key)
  }

  /** The token of its `Authorization`; '' without one. */
  get token(): string {
    return readHeaderToken(this.headers.authorization)
  }

  /** The client's network, whom limits charge for a guest. */
  get network(): Holder {
    return makeGuestHolder(this.ip)
  }

  /**
   * The caller that the cache has, which may be outdated; null for a guest, undefined if the caller must be
   * looked up.
   */
  get known(): Identity | null | undefined {
    const { catalog } = this.services.store
    if (this.#known === undefined || this.#knownIn !== catalog) {
      const credentials = this.row?.permission.credentials ?? BY_TOKEN
      this.#known = credentials.findCached(this, catalog)
      this.#knownIn = catalog
    }
    return this.#known
  }

  /**
   * The caller; null for a guest and for wrong credentials, which are looked up once. If `cached`, the caller
   * may be outdated, and no promise if the cache has it. The memory is charged to the caller from then on.
   */
  identify(cached: boolean): Identity | null | Promise<Identity | null> {
    const known = cached ? this.known : undefined
    return known === undefined ? this.#lookUp() : this.#take(known)
  }

  #take(known: Identity | null): Identity | null {
    if (known?.key) recordKeyUse(this.services.store.signIn, known.key, this.ip)
    this.caller = known?.auth ?? null
    return known
  }

  async #lookUp(): Promise<Identity | null> {
    const { store } = this.services
    const { catalog } = store
    if (this.#unknownIn === catalog) return null
    const { known } = this
    if (known && (await isAuthFresh(store.signIn, known.auth))) return this.#take(known)
    const credentials = this.row?.permission.credentials ?? BY_TOKEN
    const found = await credentials.lookUp(this, store.signIn)
    if (!found && catalog === store.catalog) this.#unknownIn = catalog
    this.#known = undefined
    this.caller = found?.auth ?? null
    return found
  }

  /** The database, charged to a caller, and the collections that the caller's role allows. */
  openStore(auth: AuthRecord | null): Store {
    const { catalog, database } = this.services.store
    const ticket = {
      holder: this.findHolder(auth),
      isSuperuser: auth?.isSuperuser ?? false,
      isGone: () => this.#outgoing!.closed,
    }
    return {
      db: database.for(ticket),
      catalog: auth?.limits ? limitCatalog(catalog, auth.limits) : catalog,
    }
  }

  /** Whom limits charge for a caller: an account (also for its devices and members) or a guest's network. */
  findHolder(auth: AuthRecord | null): Holder {
    return auth?.holder ?? this.network
  }

  /** The memory of the body and the answer, charged to the caller known when this is asked first. */
  get memory(): RequestMemory {
    if (this.#memory) return this.#memory
    const memory = new RequestMemory(this.findHolder(this.caller), this.caller?.isSuperuser)
    this.#memory = memory
    const outgoing = this.#outgoing!
    if (outgoing.closed) memory.close()
    else outgoing.once('close', () => memory.close())
    return memory
  }

  /** Frees the memory of the body, if the body needed any. */
  leaveBodyMemory(): void {
    this.#memory?.leaveBody()
  }

  /** Reserves memory for an answer until it is sent. Throws RetryLater without room, but only for a GET. */
  countAnswer(bytes: number): void {
    if (!this.leavePlace) return
    if (this.method === 'GET' || this.method === 'HEAD') this.memory.hold(bytes)
    else this.memory.force(bytes)
  }

  /** Limits an answer; what it reserves is charged to `auth`. */
  makeMeter(auth: AuthRecord | null): AnswerMeter {
    this.caller = auth
    return new AnswerMeter(() => this.memory, this.#memory?.answer)
  }

  /** The request as API rules see it. */
  describe(
    auth: AuthRecord | null,
    body: Readonly<Record<string, unknown>>,
    context: RequestContext = 'default',
    meter?: AnswerMeter,
  ): RequestInfo {
    const { method = '', query } = this
    return { context, method, query, body, auth, meter, headers: () => this.#readRuleHeaders() }
  }

  /** Headers as API rules see them: first values, names in snake_case and, as in Go, without `host`. */
  #readRuleHeaders(): Record<string, string> {
    const { host: _, ...rest } = this.headersDistinct
    return Object.fromEntries(
      Object.entries(rest).map(([name, values]) => [name.replaceAll('-', '_'), values?.[0] ?? '']),
    )
  }
}
