import type { Catalog, Store } from '../engine/collections/catalog.ts'
import type { CatalogStore } from '../engine/collections/catalog-store.ts'
import { FilterError } from '../engine/filter/parse-filter.ts'
import { StaleAuth } from '../engine/records/check-auth-version.ts'
import { isRoleEnough, makeNotAllowed } from '../engine/records/check-rules.ts'
import { StoredWithoutAnswer } from '../engine/records/create-or-update.ts'
import { Conflict } from '../engine/records/store-record.ts'
import type { WriteOptions } from '../engine/records/write-in-progress.ts'
import { LargeAnswer } from '../engine/request/answer-limit.ts'
import type { AuthRecord, RequestInfo } from '../engine/request/request.ts'
import { ApiError, GatewayError } from '../platform/api-errors.ts'
import { DatabaseUnavailable, schemaMismatches } from '../platform/db/database-errors.ts'
import { readRequestBody } from './body/read-body.ts'
import type { Identity } from './identify-caller.ts'
import type { Ctx, Services } from './request-context.ts'
import type { RouteLimits } from './route-limits.ts'
import type { RequestBody, ServedRequest } from './served-request.ts'

/** One run of `asCaller`. A repetition makes a new one, as the caller or the collections may have changed. */
export class Attempt implements AttemptFlags {
  /** Null for a guest. */
  readonly caller: AuthRecord | null
  /** The caller, with the credentials. */
  readonly found: Identity | null
  /** The database, charged to the caller's account, and the collections that the caller's role allows. */
  readonly store: Store
  readonly isAuthCached: boolean
  readonly locksRecord: boolean

  constructor(
    request: ServedRequest,
    found: Identity | null,
    { isAuthCached, locksRecord }: AttemptFlags,
  ) {
    this.found = found
    this.caller = found?.auth ?? null
    this.store = request.openStore(this.caller)
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

/** One run of `asRecordCaller`. */
export class RecordAttempt extends Attempt {
  /** The request as API rules see it. */
  readonly info: RequestInfo

  constructor(request: ServedRequest, { found, ...flags }: Attempt, values: RequestBody['values']) {
    super(request, found, flags)
    this.info = request.describe(this.caller, values, 'default', request.makeMeter(this.caller))
  }
}

/** The options of each kind of work. What outdated collections made may be incomplete, and is read again. */
const OPTIONS = {
  read: { comparesVersion: true, isRead: true },
  write: { comparesVersion: true },
  /** For SQL that does not compare the caller's version, which is then compared before. */
  checkedRead: { isRead: true },
  checked: {},
} as const satisfies Readonly<Record<string, RetryOptions>>
export type WorkKind = keyof typeof OPTIONS

/** Throws 403 if the caller's role does not allow the route. A path without a row is for accounts alone. */
export function requireRole({ limits }: AuthRecord, row: RouteLimits | undefined): void {
  if (limits === undefined) return
  const { least = 'owner', personal = false } = row?.permission ?? {}
  const isAlone = limits === 'none' || limits === 'unprotected'
  if (!(isAlone ? personal : isRoleEnough(limits, least))) throw makeNotAllowed(limits)
}

/**
 * Runs `work` for the caller whom the cache has and, if that or the record changed meanwhile, again for the
 * caller from the database. Throws 403 if the caller's role does not allow the route.
 */
export const asCaller = <T>(
  c: Ctx,
  services: Services,
  kind: WorkKind,
  work: (attempt: Attempt) => T | Promise<T>,
): Promise<T> =>
  retryRequest(
    services.store,
    c.env.incoming,
    (found, flags) => {
      if (found) requireRole(found.auth, c.env.incoming.row)
      return work(new Attempt(c.env.incoming, found, flags))
    },
    OPTIONS[kind],
  )

/** `asCaller` for records. Reads the body first: as in PocketBase, a GET with a broken body gets 400. */
export async function asRecordCaller<T>(
  c: Ctx,
  services: Services,
  kind: WorkKind,
  work: (attempt: RecordAttempt) => Promise<T>,
): Promise<T> {
  const { values } = await readRequestBody(c)
  return asCaller(c, services, kind, (attempt) =>
    work(new RecordAttempt(c.env.incoming, attempt, values)),
  )
}

/** The caller, for routes that run once; null for a guest. Throws as `asCaller`. */
export const authenticate = (c: Ctx, services: Services): Promise<AuthRecord | null> =>
  asCaller(c, services, 'checked', ({ caller }) => caller)

/** Maximum repetitions of a request after each kind of fault. A busy machine may cause many. */
const MAX_RETRIES = {
  /** The caller's record has changed since it was cached. The next attempt reads it from the database. */
  staleAuth: 20,
  /** Another write changed the record between our read and our write. The last attempt locks the record. */
  conflict: 3,
  /** The answer exceeds 1 MiB. The next attempt first reserves memory for the largest answer. */
  largeAnswer: 1,
  /** Another server process changed the collections. They have been reloaded. */
  oldCatalog: 9,
}
type Fault = keyof typeof MAX_RETRIES

/** How an attempt differs from the one before. */
export type AttemptFlags = Required<Pick<WriteOptions, 'isAuthCached' | 'locksRecord'>>

interface RetryOptions {
  /**
   * The SQL of `work` compares the version of the caller, whom the first attempts take from the cache as it
   * is. Otherwise the version is compared before.
   */
  readonly comparesVersion?: boolean
  /** `work` only reads. If the collections were outdated, it is repeated, as its result may be incomplete. */
  readonly isRead?: boolean
}

/** A caller, with the versions that its record and its API key had when they were read. */
interface Versioned {
  readonly version: string | null
  readonly key?: { readonly version: string }
}

/** Finds the caller. `isCached`: the caller may be outdated. Otherwise its version was compared. */
export interface Asker<A extends Versioned | null> {
  identify(isCached: boolean): A | Promise<A>
}

/** Repeats `work` after faults. A failed attempt must store nothing or throw StoredWithoutAnswer. */
export async function retryRequest<A extends Versioned | null, T>(
  store: CatalogStore,
  asker: Asker<A>,
  work: (auth: A, flags: AttemptFlags) => T | Promise<T>,
  { comparesVersion = false, isRead = false }: RetryOptions = {},
): Promise<T> {
  const retries: Record<Fault, number> = {
    staleAuth: 0,
    conflict: 0,
    largeAnswer: 0,
    oldCatalog: 0,
  }
  const mayRetry = (fault: Fault) => retries[fault]++ < MAX_RETRIES[fault]
  for (;;) {
    const isAuthCached = comparesVersion && retries.staleAuth === 0
    const locksRecord = retries.conflict === MAX_RETRIES.conflict
    const before = { catalog: store.catalog, mismatches: schemaMismatches.count }
    let auth: A | undefined
    try {
      auth = await asker.identify(isAuthCached)
      const result = await work(auth, { isAuthCached, locksRecord })
      const isOld = isRead && schemaMismatches.count !== before.mismatches
      if (!isOld || !(await reloadOldCatalog(store, before)) || !mayRetry('oldCatalog'))
        return result
    } catch (error) {
      if (error instanceof StoredWithoutAnswer) throw error.cause
      const isStale = async () => {
        const now = await asker.identify(false)
        return auth?.version !== now?.version || auth?.key?.version !== now?.key?.version
      }
      const isCatalogOld = () => reloadOldCatalog(store, before)
      const fault = await findRetryReason(
        error,
        auth && isAuthCached ? isStale : undefined,
        isCatalogOld,
      )
      if (!fault || !mayRetry(fault)) throw error
      if (error instanceof LargeAnswer) await error.wait()
    }
  }
}

/** For work without a caller: repeated after faults such as outdated collections. */
export const NO_CALLER: Asker<null> = { identify: () => null }

/** The fault behind an error, if a retry may help. `isStale`: whether a cached caller was outdated. */
async function findRetryReason(
  error: unknown,
  isStale: (() => Promise<boolean>) | undefined,
  isCatalogOld: () => Promise<boolean>,
): Promise<Fault | undefined> {
  // no retry after a lost connection, because the commit may have succeeded
  if (error instanceof DatabaseUnavailable) return undefined
  if (error instanceof StaleAuth) return 'staleAuth'
  if (error instanceof LargeAnswer) return 'largeAnswer'
  const isConflict = error instanceof Conflict
  if (isStale && (isConflict || isRefusal(error)) && (await isStale())) return 'staleAuth'
  if (isConflict) return 'conflict'
  return (await isCatalogOld()) ? 'oldCatalog' : undefined
}

const isRefusal = (error: unknown): boolean =>
  error instanceof FilterError ||
  ((error instanceof ApiError || error instanceof GatewayError) && error.status < 429)

/**
 * Whether the collections were outdated. Reloads them if a statement did not fit the schema since `before`.
 */
async function reloadOldCatalog(
  store: CatalogStore,
  before: { catalog: Catalog; mismatches: number },
) {
  if (schemaMismatches.count === before.mismatches) return false
  await store.reload()
  return store.catalog !== before.catalog
}
