import { useEffect, useRef, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { type Fault, faultOf } from '../../data/fault.ts'
import { useLater } from '../../data/use/use-later.ts'
import type { Request } from './composition.ts'

/** `POST /api/sms/preview`. */
export interface Preview {
  readonly body: string
  readonly segments: number
  readonly recipients_count: number
  readonly total_segments: number
  /** An estimate, by the limits of the lines; '' when no line is on. */
  readonly last_leaves_at: string
  /** How many of them get nothing. */
  readonly opted_out: number
  /** Of a template: variables without a value for one recipient at least. */
  readonly missing?: readonly string[]
  readonly items: readonly {
    readonly to: string
    readonly body: string
    readonly segments: number
    readonly opted_out: boolean
  }[]
}

const CALM_MS = 350

/**
 * What a request would send, as the server says, a moment after its last change. The last answer stays until
 * the next one. `request` undefined: there is nothing to ask yet.
 */
export function usePreview(request: Request | undefined): {
  preview: Preview | undefined
  fault: Fault | undefined
  isOld: boolean
} {
  const question = request ? JSON.stringify(request) : ''
  const asked = useLater(question, CALM_MS)
  const [answer, setAnswer] = useState<{ question: string; preview?: Preview; fault?: Fault }>({
    question: '',
  })
  const turn = useRef(0)
  useEffect(() => {
    const mine = ++turn.current
    if (asked === '') return setAnswer({ question: '' })
    pb.send<Preview>('/api/sms/preview', {
      method: 'POST',
      body: asked,
      headers: { 'content-type': 'application/json' },
    }).then(
      (preview) => {
        if (mine === turn.current) setAnswer({ question: asked, preview })
      },
      (error) => {
        if (mine === turn.current) setAnswer({ question: asked, fault: faultOf(error) })
      },
    )
    return () => {
      turn.current++
    }
  }, [asked])
  return { preview: answer.preview, fault: answer.fault, isOld: answer.question !== question }
}
