import { useEffect, useState } from 'preact/hooks'
import { msOf } from '../../parts/time.tsx'

const STEP_MS = 500

/** How long it is until an instant, as `4:31`; '' when it has passed. */
export function useCountdown(at: string): string {
  const [nowMs, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), STEP_MS)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.ceil((msOf(at) - nowMs) / 1000)
  if (seconds <= 0) return ''
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
