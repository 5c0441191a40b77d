import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type Fault, readFaultOfRead } from '../../../data/fault.ts'
import type { Message } from '../../../data/record-types.ts'
import { useDebounced } from '../../../data/use/use-debounced.ts'
import { useLatest } from '../../../data/use/use-latest.ts'
import { useLive } from '../../../data/use/use-live.ts'
import { useReadAgain } from '../../../data/use/use-read-again.ts'
import { applyTextChange } from './apply-text-change.ts'
import {
  joinNewest,
  lengthenStretch,
  makeEndStretch,
  readAround,
  readLastTexts,
  readTexts,
  STEP,
  type Stretch,
  TEXTS,
} from './loaded-texts.ts'

export interface ThreadTexts extends Stretch {
  readonly loading: boolean
  readonly fault: Fault | undefined
  older(): void
  newer(): void
  toEnd(): void
  /** Reads the newest texts again. */
  catchUp(): void
}

/** The texts of a conversation, updated live. Begins with the newest texts, or with those around `at`. */
export function useThread(number: string, at: string): ThreadTexts {
  const [stretch, setStretch] = useState<Stretch>()
  const [fault, setFault] = useState<Fault>()
  const [changes, setChanges] = useState(0)
  const begin = useLatest()
  const beginNewest = useLatest()
  const isReading = useRef(false)

  /** Calls `put` with the answer to a request, unless a later request began or `number` or `at` changed. */
  const run = useCallback(async <T>(ask: () => Promise<T>, put: (found: T) => void) => {
    const isLatest = begin()
    isReading.current = true
    try {
      const found = await ask()
      if (!isLatest()) return
      put(found)
      setFault(undefined)
    } catch (error) {
      if (isLatest()) setFault(readFaultOfRead(error))
    }
    if (isLatest()) isReading.current = false
  }, [])
  useEffect(() => {
    // a slow first read must not take away the texts that a later one has found
    const put = (found: Stretch) =>
      setStretch((old) => (old ? joinNewest(found, old.texts.slice(0, STEP)) : found))
    void run(() => readAround(number, at), put)
    return () => void begin()
  }, [number, at])

  const settled = useDebounced(changes)
  useEffect(() => {
    if (settled === 0) return
    const isLatest = beginNewest()
    readTexts(number, 'older').then(
      (newest) => {
        if (!isLatest()) return
        setStretch((old) => (old ? joinNewest(old, newest) : makeEndStretch(newest)))
        setFault(undefined)
      },
      (error) => isLatest() && setFault(readFaultOfRead(error)),
    )
    return () => void beginNewest()
  }, [settled, number])
  const catchUp = useCallback(() => setChanges((count) => count + 1), [])
  useReadAgain(fault?.isInBanner === true, catchUp)
  useLive<Message>(
    TEXTS,
    '*',
    ({ action, record }) => {
      setStretch((old) => {
        const texts = old && applyTextChange(old.texts, action, record, number)
        return !texts || texts === old.texts ? old : { ...old, texts }
      })
      if (record.from === number || record.to === number) catchUp()
    },
    catchUp,
  )

  const more = (side: 'older' | 'newer') => {
    const { texts = [], hasOlder, hasNewer } = stretch ?? {}
    const edge = side === 'older' ? texts.at(-1) : texts[0]
    if (!edge || isReading.current || !(side === 'older' ? hasOlder : hasNewer)) return
    void run(
      () => readTexts(number, side, edge),
      (found) => setStretch((old) => old && lengthenStretch(old, side, found)),
    )
  }
  return {
    texts: stretch?.texts ?? [],
    hasOlder: stretch?.hasOlder ?? false,
    hasNewer: stretch?.hasNewer ?? false,
    loading: !stretch && !fault,
    fault,
    older: () => more('older'),
    newer: () => more('newer'),
    catchUp,
    toEnd: () => void (stretch?.hasNewer && run(() => readLastTexts(number), setStretch)),
  }
}
