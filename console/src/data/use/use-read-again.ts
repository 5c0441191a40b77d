import { useLayoutEffect } from 'preact/hooks'

const AGAIN_MS = 5_000

/** Reads again every 5 s while `isWaiting`: after a read that failed, and may succeed by itself. */
export function useReadAgain(isWaiting: boolean, read: () => unknown): void {
  useLayoutEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => void read(), AGAIN_MS)
    return () => clearInterval(timer)
  }, [isWaiting, read])
}
