import type { Store } from '../engine/collections/catalog.ts'
import { isRoleEnough, makeNotAllowed } from '../engine/records/check-rules.ts'
import type { AuthRecord, RequestInfo } from '../engine/request/request.ts'
import { readRequestBody } from './body/read-body.ts'
import type { Identity } from './identify-caller.ts'
import type { Ctx, Services } from './request-context.ts'
import { type AttemptFlags, type RetryOptions, retryRequest } from './retry-request.ts'
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
