import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { countRecords } from '../client.ts'
import { useLatest } from './use-latest.ts'
import { useLive } from './use-live.ts'

/** A page may count for each of its rows: changes within this time cause one count more. */
const CALM_MS = 5_000

/** How many records a filter finds, counted again after changes; undefined until it is known. */
export function useCount(collection: string, filter: string): number | undefined {
  const [count, setCount] = useState<number>()
  const begin = useLatest()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const read = () => {
    timer.current = undefined
    const isLatest = begin()
    countRecords(collection, filter).then(
      (found) => isLatest() && setCount(found),
      () => {}, // the next change counts again
    )
  }
  useLayoutEffect(() => {
    read()
    return () => {
      begin()
      clearTimeout(timer.current)
    }
  }, [collection, filter])
  const soon = () => {
    timer.current ??= setTimeout(read, CALM_MS)
  }
  useLive(collection, '*', soon, soon)
  return count
}
