import { type Signal, signal } from '@preact/signals'
import { useCallback, useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { matchAny, pb } from '../client.ts'
import type { Contact } from '../record-types.ts'

/** Returns a function that finds a number's name in the contacts. That is '' if missing or not yet read. */
export function useNames(numbers: readonly string[]): (number: string) => string {
  const { get } = useLookup(numbers, findContactNames)
  return useCallback((number) => get(number) ?? '', [])
}

async function findContactNames(numbers: readonly string[]): Promise<[string, string][]> {
  const filter = matchAny('phone', numbers)
  const { items } = await pb
    .collection<Contact>('contacts')
    .getList(1, numbers.length, { filter, skipTotal: true, fields: 'name,phone' })
  return items.map(({ phone, name }) => [phone, name])
}

/** Maximum keys per request. The server accepts filters of up to 200 expressions and 3,500 bytes. */
const AT_ONCE = 50

interface Lookup<T> {
  /**
   * A key's value; undefined until it is read, or if there is none. A component that calls this is drawn
   * again when the value of this key changes.
   */
  get(key: string): T | undefined
  /** Changes a value that was read. */
  change(key: string, to: (old: T) => T): void
}

/**
 * Reads the value of each key once, by calls of `find` with at most 50 keys. Reads all of them again when
 * `version` changes, and keeps the values until then. Both functions keep their identity.
 */
export function useLookup<T>(
  keys: readonly string[],
  find: (keys: readonly string[]) => Promise<Iterable<readonly [key: string, value: T]>>,
  version = 0,
): Lookup<T> {
  const values = useRef(new Map<string, Signal<T | undefined>>()).current
  const state = useRef({ version, asked: new Set<string>(), isBusy: false, isLeft: false }).current
  const latest = useRef({ keys, find })
  latest.current = { keys, find }
  if (state.version !== version) Object.assign(state, { version, asked: new Set() })
  const read = async () => {
    while (!state.isLeft) {
      const { keys, find } = latest.current
      const unread = new Set(keys.filter((key) => key !== '' && !state.asked.has(key)))
      const next = [...unread].slice(0, AT_ONCE)
      if (next.length === 0) return
      for (const key of next) state.asked.add(key)
      for (const [key, value] of await find(next).catch(() => []))
        findNumberSignal(values, key).value = value
    }
  }
  useEffect(() => {
    if (state.isBusy) return
    state.isBusy = true
    void read().finally(() => {
      state.isBusy = false
    })
  })
  useLayoutEffect(
    () => () => {
      state.isLeft = true
    },
    [],
  )
  return {
    get: useCallback((key) => findNumberSignal(values, key).value, []),
    change: useCallback((key, to) => {
      const value = values.get(key)
      const old = value?.peek()
      if (value && old !== undefined) value.value = to(old)
    }, []),
  }
}

function findNumberSignal<T>(
  values: Map<string, Signal<T | undefined>>,
  key: string,
): Signal<T | undefined> {
  const found = values.get(key) ?? signal<T | undefined>(undefined)
  values.set(key, found)
  return found
}
