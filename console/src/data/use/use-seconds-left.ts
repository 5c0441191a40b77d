import { useEffect, useState } from 'preact/hooks'

const STEP_MS = 250

/** Whole seconds until `performance.now()` reaches `endMs`, rounded up; 0 or less afterwards. */
export function useSecondsLeft(endMs: number): number {
  const [nowMs, setNowMs] = useState(performance.now())
  useEffect(() => {
    const timer = setInterval(() => setNowMs(performance.now()), STEP_MS)
    return () => clearInterval(timer)
  }, [])
  return Math.ceil((endMs - nowMs) / 1000)
}
