import { useEffect, useState } from 'preact/hooks'

const CALM_MS = 250

/** Debounces a value by `ms`, for requests to the server while the user types. */
export function useDebounced<T>(value: T, ms = CALM_MS): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
