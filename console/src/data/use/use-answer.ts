import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { pb } from '../client.ts'
import { type Fault, faultOf } from '../fault.ts'

/** What an endpoint beside the records answered. */
export interface Answer<T> {
  /** Undefined until the first answer; later ones replace it. */
  readonly value: T | undefined
  readonly fault: Fault | undefined
  reload(): Promise<void>
}

/** How soon a server that could not be reached is asked again. */
const AGAIN_MS = 5_000

/**
 * The answer to GET `path`, asked again every `everyMs` while the page is in sight, if that is given, and
 * when the server could not be reached.
 */
export function useAnswer<T>(path: string, everyMs?: number): Answer<T> {
  const [value, setValue] = useState<T>()
  const [fault, setFault] = useState<Fault>()
  const turn = useRef(0)
  const reload = useCallback(async () => {
    const mine = ++turn.current
    try {
      const answer = await pb.send<T>(path, {})
      if (mine !== turn.current) return
      setValue(() => answer)
      setFault(undefined)
    } catch (error) {
      if (mine === turn.current) setFault(faultOf(error))
    }
  }, [path])
  useEffect(() => {
    void reload()
    const again = () => document.visibilityState === 'visible' && void reload()
    const timer = everyMs === undefined ? undefined : setInterval(again, everyMs)
    return () => {
      turn.current++
      clearInterval(timer)
    }
  }, [reload, everyMs])
  const isAway = fault?.status === 0
  useEffect(() => {
    if (!isAway) return
    const timer = setInterval(() => void reload(), AGAIN_MS)
    return () => clearInterval(timer)
  }, [isAway, reload])
  return { value, fault, reload }
}
