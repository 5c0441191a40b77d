import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { queries, tryAcquireLock } from '../../platform/db/queries.ts'
import { writeDaysAgo } from '../base/retention-periods.ts'

/** Messages per transaction: it takes 50 ms to redact them, 90 ms to delete them. */
export const MESSAGES_PER_BATCH = 1_000
const PAUSE_MS = 50

export const ENDED_SQL = `status not in ('pending', 'assigned', 'sending')`

/** SQL: a batch of ended texts `m` that have not changed for `days`, the oldest first, locked. */
export const selectOldTexts = (which: RawBuilder<boolean>, days: string) =>
  sql<{ id: string }>`(select m.id from sms_messages m
    where ${which} and ${sql.raw(ENDED_SQL)}
      and m.created < ${writeDaysAgo(sql.ref(days))} and m.updated < ${writeDaysAgo(sql.ref(days))}
    order by m.created limit ${sql.lit(MESSAGES_PER_BATCH)} for update skip locked)`.as('old')

/**
 * Runs `work` in a transaction of its own, while no other node has the lock `key`: undefined then. Sends
 * subscribers no events for its changes.
 */
const runIfUnlocked = <T>(store: Store, key: number, work: (inside: Store) => Promise<T>) =>
  store.db.transaction(async (db) => {
    if (!(await tryAcquireLock(db, key))) return undefined
    const done = await work({ db, catalog: store.catalog })
    await queries(db)
      .deleteFrom('_changes')
      .where('xid', '=', sql<string>`pg_current_xact_id()`)
      .execute()
    return done
  })

/** Repeats `work` in transactions until it takes less than a full batch. Returns the sum of what it took. */
export async function runInBatches(
  store: Store,
  key: number,
  signal: AbortSignal | undefined,
  work: (inside: Store) => Promise<number>,
): Promise<number> {
  let total = 0
  while (!signal?.aborted) {
    const count = (await runIfUnlocked(store, key, work)) ?? 0
    total += count
    if (count < MESSAGES_PER_BATCH) break
    await sleep(PAUSE_MS)
  }
  return total
}

export const PEOPLE_PER_BATCH = 1_000

interface PeoplePage {
  /** Up to PEOPLE_PER_BATCH numbers behind the last one, in order. */
  readonly people: readonly string[]
  /** How many records were ended. After a full batch there may be more: the page is repeated. */
  readonly count: number
}

/** Runs `work` on all numbers, a page in each transaction, until `signal` aborts or another node does it. */
export async function runForPeople(
  store: Store,
  signal: AbortSignal | undefined,
  work: (inside: Store, after: string) => Promise<PeoplePage>,
): Promise<void> {
  let after: string | undefined = ''
  while (after !== undefined && !signal?.aborted) {
    const from: string = after
    const page = await runIfUnlocked(store, LOCKS.retentionByPerson, (inside) => work(inside, from))
    const isDone =
      !page || (page.count < MESSAGES_PER_BATCH && page.people.length < PEOPLE_PER_BATCH)
    after = isDone ? undefined : page.count < MESSAGES_PER_BATCH ? page.people.at(-1) : from
    await sleep(PAUSE_MS)
  }
}
