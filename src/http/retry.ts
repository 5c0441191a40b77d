import type { Catalog } from '../collections/catalog.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import { DatabaseUnavailable, schemaMismatches } from '../db/errors.ts'
import { ApiError, GatewayError } from '../errors.ts'
import { FilterError } from '../filter/parse.ts'
import type { WriteOptions } from '../records/check-values.ts'
import { StaleAuth } from '../records/record-sql.ts'
import { Conflict } from '../records/store.ts'
import { StoredWithoutAnswer } from '../records/write.ts'
import { LargeAnswer } from '../request/request.ts'

/** How often a request starts again after each fault. On a busy machine, one request may meet many. */
const MAX_RETRIES = {
  /** The caller's record has changed since it was cached: read it from the database. */
  staleAuth: 20,
  /** Another write changed the record between read and write: the last retry locks the record first. */
  conflict: 3,
  /** The answer needs more than its first 1 MiB: begin again with the maximum reserved. */
  largeAnswer: 1,
  /** Another node changed the collections. They have been read again. */
  oldCatalog: 9,
}
type Fault = keyof typeof MAX_RETRIES

export type Attempt = Required<Pick<WriteOptions, 'isAuthCached' | 'locksRecord'>>

interface RetryOptions {
  /** The first attempts use the caller from the cache; the statement compares its version. */
  readonly startsCached?: boolean
  /** The work only reads: repeated if collections were outdated, as parts may be missing. */
  readonly isRead?: boolean
}

/** A caller; versions of its record and of its API key as read. */
interface Versioned {
  readonly version: string | null
  readonly key?: { readonly version: string }
}

/** Repeats work until it meets no fault. A failed attempt stores nothing or throws StoredWithoutAnswer. */
export async function retry<A extends Versioned | null, T>(
  store: CatalogStore,
  identify: (isCached: boolean) => Promise<A>,
  work: (auth: A, attempt: Attempt) => Promise<T>,
  { startsCached = false, isRead = false }: RetryOptions = {},
): Promise<T> {
  const retries: Record<Fault, number> = { staleAuth: 0, conflict: 0, largeAnswer: 0, oldCatalog: 0 }
  const mayRetry = (fault: Fault) => retries[fault]++ < MAX_RETRIES[fault]
  for (;;) {
    const isAuthCached = startsCached && retries.staleAuth === 0
    const locksRecord = retries.conflict === MAX_RETRIES.conflict
    const before = { catalog: store.catalog, mismatches: schemaMismatches.count }
    let auth: A | undefined
    try {
      auth = await identify(isAuthCached)
      const result = await work(auth, { isAuthCached, locksRecord })
      if (!isRead || !(await isOutdated(store, before)) || !mayRetry('oldCatalog')) return result
    } catch (error) {
      if (error instanceof StoredWithoutAnswer) throw error.cause
      const isStale = async () => {
        const now = await identify(false)
        return auth?.version !== now?.version || auth?.key?.version !== now?.key?.version
      }
      const isCatalogOld = () => isOutdated(store, before)
      const fault = await faultOf(error, auth && isAuthCached ? isStale : undefined, isCatalogOld)
      if (!fault || !mayRetry(fault)) throw error
      if (error instanceof LargeAnswer) await error.wait()
    }
  }
}

/** Runs work that has no caller, and retries it with a fresh catalog. */
export const withCatalog = <T>(
  store: CatalogStore,
  work: () => Promise<T>,
  options?: RetryOptions,
): Promise<T> => retry(store, async () => null, work, options)

/** A refusal of a cached caller (`isStale`) counts only if the caller's record has not changed. */
async function faultOf(
  error: unknown,
  isStale: (() => Promise<boolean>) | undefined,
  isCatalogOld: () => Promise<boolean>,
): Promise<Fault | undefined> {
  // the connection was lost: the commit may have succeeded
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

/** Whether the collections were outdated. Reads them again if a statement has not matched the schema. */
async function isOutdated(store: CatalogStore, before: { catalog: Catalog; mismatches: number }) {
  if (schemaMismatches.count === before.mismatches) return false
  await store.reload()
  return store.catalog !== before.catalog
}
