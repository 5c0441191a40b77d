import { useEffect, useState } from 'preact/hooks'

const CALM_MS = 250

/** A value once it has not changed for a moment: for questions to the server while somebody types. */
export function useLater<T>(value: T, ms = CALM_MS): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
