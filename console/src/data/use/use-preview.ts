import { useEffect, useState } from 'preact/hooks'
import { postRequest } from '../client.ts'
import { type Fault, readFault } from '../fault.ts'
import { useDebounced } from './use-debounced.ts'
import { useLatest } from './use-latest.ts'

const CALM_MS = 350

/**
 * Posts `request` to `path` `calmMs` after its last change, and returns the preview in the answer. Keeps the
 * last preview until the next answer. Posts nothing while `request` is undefined.
 */
export function usePreview<T>(
  path: string,
  request: object | undefined,
  calmMs = CALM_MS,
): { preview?: T; fault?: Fault } {
  const question = request ? JSON.stringify(request) : ''
  const asked = useDebounced(question, calmMs)
  const [answer, setAnswer] = useState<{ preview?: T; fault?: Fault }>({})
  const begin = useLatest()
  useEffect(() => {
    const isLatest = begin()
    if (asked === '') return setAnswer({})
    postRequest<T>(path, asked, { headers: { 'content-type': 'application/json' } }).then(
      (preview) => {
        if (isLatest()) setAnswer({ preview })
      },
      (error) => {
        if (isLatest()) setAnswer({ fault: readFault(error) })
      },
    )
    return () => void begin()
  }, [path, asked])
  return answer
}
