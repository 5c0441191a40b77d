import { RetryLater } from '../api-errors.ts'
import { DatabaseUnavailable } from './database-errors.ts'
import type { Db } from './open.ts'

/** How to store items of many concurrent callers with few statements. */
interface Grouping<Item, Result> {
  /** The key of an item. Items with equal keys are never in two groups that are stored at the same time. */
  readonly keyOf: (item: Item) => string
  /** Whether a group may contain only one item of each key. */
  readonly isOnce?: boolean
  /** Number of rows that an item writes. Default: 1. */
  readonly sizeOf?: (item: Item) => number
  /** Minimum time in ms between the starts of two statements, so that one stores more items. Default: 0. */
  readonly paceMs?: number
  /** Stores items in one statement. The result is undefined for an item that must wait for a later group. */
  readonly store: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly done: PromiseWithResolvers<Result>
  readonly isAlone?: boolean
}

/** Maximum concurrent commits. More use more CPU: a send takes 250 µs with 4 commits, 200 µs with 2. */
const MAX_COMMITS = 2
const MAX_ITEMS = 500
/**
 * `paceMs` for what devices ask: a statement takes 1 ms however few rows it has. Sends do not wait: people do
 * for them.
 */
export const DEVICE_PACE_MS = 20
const MAX_SIZE = 1_000

export type Groups<Item, Result> = ReturnType<typeof makeGroups<Item, Result>>

/** Stores items in groups. Items added during a commit form the next group. */
export function makeGroups<Item, Result>({
  keyOf,
  sizeOf,
  isOnce,
  paceMs = 0,
  store,
}: Grouping<Item, Result>) {
  /** Items in the order of arrival. Items that must be stored again are at the end. */
  let waiting: Waiting<Item, Result>[] = []
  let isStarting = false
  let startedAtMs = -paceMs
  let commits = 0
  const committing = new Set<string>()

  function startSoon(): void {
    if (isStarting || waiting.length === 0) return
    isStarting = true
    const restMs = startedAtMs + paceMs - performance.now()
    if (restMs > 0) setTimeout(start, restMs)
    // first read all requests that have arrived, to store their items together
    else setImmediate(start)
  }

  function start(): void {
    isStarting = false
    while (waiting.length > 0 && commits < MAX_COMMITS) {
      const group = dequeueGroup()
      if (group.length === 0) return
      startedAtMs = performance.now()
      void commit(group)
    }
  }

  function dequeueGroup(): Waiting<Item, Result>[] {
    const [group, others]: [Waiting<Item, Result>[], Waiting<Item, Result>[]] = [[], []]
    const keys = new Set(committing)
    let size = 0
    let isFull = false
    for (const one of waiting) {
      const key = keyOf(one.item)
      const isLater: boolean = isFull || keys.has(key)
      if (!isLater) size += sizeOf?.(one.item) ?? 1
      const isLast =
        group.length === MAX_ITEMS || size > MAX_SIZE || one.isAlone || group[0]?.isAlone
      isFull ||= !isLater && group.length > 0 && isLast === true
      if (isLater || isFull) others.push(one)
      else group.push(one)
      if (isOnce) keys.add(key)
    }
    waiting = others
    return group
  }

  async function commit(group: readonly Waiting<Item, Result>[]): Promise<void> {
    const items: Item[] = []
    const keys: string[] = []
    for (const { item } of group) {
      items.push(item)
      keys.push(keyOf(item))
    }
    for (const key of keys) committing.add(key)
    commits++
    const stored = await store(items).catch((error: unknown) => ({ error }))
    commits--
    for (const key of keys) committing.delete(key)
    if ('error' in stored) failed(group, stored.error)
    else
      for (const [i, one] of group.entries())
        if (stored[i] === undefined) waiting.push(one)
        else one.done.resolve(stored[i])
    startSoon()
  }

  /** After an error, tries each item of a group alone. Rejects all items if the database is unavailable. */
  function failed(group: readonly Waiting<Item, Result>[], error: unknown): void {
    // not one by one: items may be stored already, or each would again wait for a free connection
    const isOfAll = error instanceof DatabaseUnavailable || error instanceof RetryLater
    if (group.length > 1 && !isOfAll)
      waiting.push(...group.map((one) => ({ ...one, isAlone: true })))
    else for (const { done } of group) done.reject(error)
  }

  return {
    /** Resolves after the commit. Rejects when the database fails: the item may be stored nevertheless. */
    add(item: Item): Promise<Result> {
      const done = Promise.withResolvers<Result>()
      waiting.push({ item, done })
      startSoon()
      return done.promise
    },
  }
}

/** Returns a function that returns a database's groups. It makes them at the first call for that database. */
export function makeDatabaseGroups<Item, Result>(grouping: (db: Db) => Grouping<Item, Result>) {
  const made = new WeakMap<object, Groups<Item, Result>>()
  return (db: Db): Groups<Item, Result> => {
    const groups = made.get(db.pool) ?? makeGroups(grouping(db.forEverybody('groups')))
    made.set(db.pool, groups)
    return groups
  }
}
