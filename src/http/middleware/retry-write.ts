import type { CatalogStore } from '../../collections/catalog/catalog-store.ts'
import { DatabaseUnavailable } from '../../db/errors.ts'
import { ApiError } from '../../errors.ts'
import { checkAuthFresh, StaleAuth } from '../../records/fresh-auth.ts'
import type { WriteOptions } from '../../records/input/write-options.ts'
import { StoredWithoutAnswer } from '../../records/write/answer-write.ts'
import { Conflict } from '../../records/write/conflict.ts'
import { LargeAnswer } from '../../request/answer-meter.ts'
import type { AuthRecord } from '../../request/request.ts'
import { watchCatalog } from './fresh-catalog.ts'

/** How often a write starts again after each fault. On a busy machine, one write may meet many. */
const MAX_RETRIES = {
  /** The caller's auth record has changed: identify the caller again, from the database. */
  staleAuth: 20,
  /** Another write changed the record between read and write: the last retry locks the record first. */
  conflict: 3,
  /** The answer needs more memory than the first mebibyte: wait for all that it may have. */
  largeAnswer: 1,
  /** Another node changed the collections: they have been read again. */
  oldCatalog: 9,
}
type Fault = keyof typeof MAX_RETRIES

/** How one attempt is made, as options of a record's write. */
export type WriteAttempt = Required<Pick<WriteOptions, 'isAuthCached' | 'locksAuth' | 'locksRecord'>>

/**
 * Runs a write until it meets none of the faults above. Only deadlocks are retried elsewhere, in `Db`. An
 * attempt that fails must have stored nothing, or throw StoredWithoutAnswer. With `startsCached` the first
 * attempts use the auth record from memory: the statement that writes compares its version, and a refusal
 * counts only if that record is still true. Throws what `work` throws, and RetryLater.
 */
export async function retryWrite<A extends AuthRecord | null, T>(
  store: CatalogStore,
  identify: (isCached: boolean) => Promise<A>,
  work: (auth: A, attempt: WriteAttempt) => Promise<T>,
  startsCached = false,
): Promise<T> {
  const retries: Record<Fault, number> = { staleAuth: 0, conflict: 0, largeAnswer: 0, oldCatalog: 0 }
  for (;;) {
    const isAuthCached = startsCached && retries.staleAuth === 0
    const locksRecord = retries.conflict === MAX_RETRIES.conflict
    const auth = await identify(isAuthCached)
    const isCatalogOld = watchCatalog(store)
    try {
      return await work(auth, { isAuthCached, locksAuth: !isAuthCached, locksRecord })
    } catch (thrown) {
      if (thrown instanceof StoredWithoutAnswer) throw thrown.cause
      const error = isAuthCached ? await doubt(store, auth, thrown) : thrown
      const fault = await faultOf(error, isCatalogOld)
      if (!fault || retries[fault]++ === MAX_RETRIES[fault]) throw error
      if (error instanceof LargeAnswer) await error.wait()
    }
  }
}

/** The error itself, or StaleAuth if it refused a caller whose auth record in memory is no longer true. */
function doubt(store: CatalogStore, auth: AuthRecord | null, error: unknown): unknown {
  const isRefusal = error instanceof ApiError && !(error instanceof DatabaseUnavailable)
  if (!isRefusal && !(error instanceof Conflict)) return error
  return checkAuthFresh(store, auth).then(
    () => error,
    (fault: unknown) => fault,
  )
}

async function faultOf(error: unknown, isCatalogOld: () => Promise<boolean>): Promise<Fault | undefined> {
  if (error instanceof StaleAuth) return 'staleAuth'
  if (error instanceof Conflict) return 'conflict'
  if (error instanceof LargeAnswer) return 'largeAnswer'
  return (await isCatalogOld()) ? 'oldCatalog' : undefined
}
