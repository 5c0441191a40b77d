import type { Store } from '../engine/collections/catalog.ts'
import type { AuthRecord, RequestInfo } from '../engine/request/request.ts'
import { authenticate, buildRequest, makeAnswerMeter } from './authenticate.ts'
import { readRequestBody } from './body/read-body.ts'
import type { Ctx, RequestBody, Services } from './request-context.ts'
import { type AttemptFlags, type RetryOptions, retryRequest } from './retry-request.ts'
import { openStoreForCaller } from './server/client-address.ts'

/** One run of `asCaller`. A repetition makes a new one, as the caller or the collections may have changed. */
export class Attempt implements AttemptFlags {
  /** Null for a guest. */
  readonly caller: AuthRecord | null
  /** The request as API rules see it. */
  readonly info: RequestInfo
  readonly isAuthCached: boolean
  readonly locksRecord: boolean
  readonly #c: Ctx
  readonly #services: Services
  #store: Store | undefined

  constructor(
    c: Ctx,
    services: Services,
    caller: AuthRecord | null,
    values: RequestBody['values'],
    { isAuthCached, locksRecord }: AttemptFlags,
  ) {
    this.#c = c
    this.#services = services
    this.caller = caller
    this.info = buildRequest(c, caller, values, 'default', makeAnswerMeter(c, caller))
    this.isAuthCached = isAuthCached
    this.locksRecord = locksRecord
  }

  /** The database, charged to the caller's account, and the collections that the caller's role allows. */
  get store(): Store {
    this.#store ??= openStoreForCaller(this.#c, this.#services, this.caller)
    return this.#store
  }

  /** The store on a replica that has all earlier commits, if there is one. Collections are the primary's. */
  async openForReading(): Promise<Store> {
    const { db, catalog } = this.store
    return db.replica ? { db: await db.forReading(), catalog } : this.store
  }
}

/** For `work` that only reads: a result of outdated collections may be incomplete, and is read again. */
export const READ: RetryOptions = { startsCached: true, isRead: true }

export const WRITE: RetryOptions = { startsCached: true }

/**
 * Runs `work` for the cached caller and, if that or the record changed meanwhile, again for the caller from
 * the database. Its SQL must compare the caller's version. Reads the body first: as in PocketBase, a GET with
 * a broken body gets 400.
 */
export async function asCaller<T>(
  c: Ctx,
  services: Services,
  options: RetryOptions,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { values } = await readRequestBody(c)
  return retryRequest(
    services.store,
    (isCached) => authenticate(c, services, isCached),
    (caller, flags) => work(new Attempt(c, services, caller, values, flags)),
    options,
  )
}
