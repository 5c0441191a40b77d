import type { Store } from '../engine/collections/catalog.ts'
import type { AuthRecord, RequestInfo } from '../engine/request/request.ts'
import { requireRouteRole } from './authenticate.ts'
import { readRequestBody } from './body/read-body.ts'
import type { Ctx, Services } from './request-context.ts'
import { type AttemptFlags, type RetryOptions, retryRequest } from './retry-request.ts'
import type { RequestBody, ServedRequest } from './served-request.ts'

/** One run of `asCaller`. A repetition makes a new one, as the caller or the collections may have changed. */
export class Attempt implements AttemptFlags {
  /** Null for a guest. */
  readonly caller: AuthRecord | null
  /** The request as API rules see it. */
  readonly info: RequestInfo
  /** The database, charged to the caller's account, and the collections that the caller's role allows. */
  readonly store: Store
  readonly isAuthCached: boolean
  readonly locksRecord: boolean

  constructor(
    request: ServedRequest,
    caller: AuthRecord | null,
    values: RequestBody['values'],
    { isAuthCached, locksRecord }: AttemptFlags,
  ) {
    this.caller = caller
    this.store = request.openStore(caller)
    this.info = request.describe(caller, values, 'default', request.makeMeter(caller))
    this.isAuthCached = isAuthCached
    this.locksRecord = locksRecord
  }

  /** The store on a replica that has all earlier commits, if there is one. Collections are the primary's. */
  async openForReading(): Promise<Store> {
    const { store } = this
    const { db, catalog } = store
    return db.replica ? { db: await db.forReading(), catalog } : store
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
  const request = c.env.incoming
  return retryRequest(
    services.store,
    request,
    (found, flags) => {
      const caller = found?.auth ?? null
      if (caller?.limits) requireRouteRole(c, caller, services)
      return work(new Attempt(request, caller, values, flags))
    },
    options,
  )
}
