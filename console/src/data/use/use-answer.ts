import { useCallback, useLayoutEffect, useState } from 'preact/hooks'
import { pb } from '../client.ts'
import { type Fault, readFaultOfRead } from '../fault.ts'
import { useLatest } from './use-latest.ts'
import { useReadAgain } from './use-read-again.ts'

export interface Answer<T> {
  /** The last successful answer; undefined before the first. */
  readonly value: T | undefined
  /** Whether `value` is the answer of the path before, until that of the present path arrives. */
  readonly isOld: boolean
  readonly fault: Fault | undefined
  reload(): Promise<void>
}

/**
 * Reads GET `path`. With `everyMs`, repeats this at that interval while the page is visible. While the server
 * or its database is unreachable, tries again every 5 s.
 */
export function useAnswer<T>(path: string, everyMs?: number): Answer<T> {
  const [answer, setAnswer] = useState<{ readonly path: string; readonly value: T }>()
  const [fault, setFault] = useState<Fault>()
  const begin = useLatest()
  const reload = useCallback(async () => {
    const isLatest = begin()
    try {
      const value = await pb.send<T>(path, {})
      if (!isLatest()) return
      setAnswer({ path, value })
      setFault(undefined)
    } catch (error) {
      if (isLatest()) setFault(readFaultOfRead(error))
    }
  }, [path])
  useLayoutEffect(() => {
    void reload()
    const again = () => document.visibilityState === 'visible' && void reload()
    const timer = everyMs === undefined ? undefined : setInterval(again, everyMs)
    return () => {
      begin()
      clearInterval(timer)
    }
  }, [reload, everyMs])
  useReadAgain(fault?.isAway === true || fault?.isInBanner === true, reload)
  const isOld = answer !== undefined && answer.path !== path
  return { value: answer?.value, isOld, fault, reload }
}
