import { useLayoutEffect, useRef } from 'preact/hooks'

/** Returns a function that runs `work` after `ms()`: once for all calls within this time. */
export function useCalm(work: () => unknown, ms: () => number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(work)
  latest.current = work
  useLayoutEffect(() => () => clearTimeout(timer.current), [])
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void latest.current()
    }, ms())
  }
}
