import { useCallback, useRef } from 'preact/hooks'

/**
 * Ignores outdated answers. Call the result when a request begins: it returns a function that says whether
 * the request is still the latest. Call the result alone, as in the clean-up of an effect, to ignore the
 * answer to a request that is under way.
 */
export function useLatest(): () => () => boolean {
  const latest = useRef(0)
  return useCallback(() => {
    const mine = ++latest.current
    return () => mine === latest.current
  }, [])
}
