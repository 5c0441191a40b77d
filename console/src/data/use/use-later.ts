import { useEffect, useState } from 'preact/hooks'

const CALM_MS = 250

/** A debounced value, for requests to the server during typing. */
export function useLater<T>(value: T, ms = CALM_MS): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
