import { sendOutgoing } from '../../../../platform/outgoing/send-request.ts'
import { maskSecrets } from '../../../../platform/tools/mask-secrets.ts'
import { type Carrier, listHiddenParts } from './carrier-account.ts'
import { fillRequest, SAMPLE } from './fill-request.ts'
import { readAnswer } from './read-answer.ts'

/** How long a person waits for the answer in the form of an account. */
const PATIENCE_MS = 5_000
const MAX_ANSWER_BYTES = 64 << 10
/** No credit, or a right that the credentials lack for this request alone: they may still send. */
const SAYS_LITTLE = new Set([402, 403])

/** `isAccepted`: the carrier has accepted the credentials. `refusal`: why not, else ''. */
export interface Trial {
  readonly isAccepted: boolean
  readonly refusal: string
}

/**
 * Tries a carrier's account by the request of its preset that costs nothing, for at most 5 s. Without such a
 * request, the carrier's host is tried without credentials: any answer will do.
 */
export async function tryAccount(carrier: Carrier): Promise<Trial> {
  const { trial, send } = carrier.interface
  const { 'content-type': _, ...headers } = send.headers
  const template = { method: 'GET', body: undefined, numbers: [], path: '', headers: {} }
  const request = fillRequest(
    carrier,
    SAMPLE,
    trial ? { ...template, ...trial, headers } : template,
  )
  const { allowPrivate } = carrier
  const limits = { allowPrivate, maxBodyBytes: MAX_ANSWER_BYTES, timeoutMs: PATIENCE_MS }
  try {
    const { status, body } = await sendOutgoing(request, limits)
    const isAccepted = trial !== undefined && status >= 200 && status < 300
    if (!trial || SAYS_LITTLE.has(status)) return { isAccepted: false, refusal: '' }
    const { means, error } = readAnswer(carrier, status, body.toString())
    return means === 'account' ? { isAccepted: false, refusal: error } : { isAccepted, refusal: '' }
  } catch (error) {
    const { message, code = '' } = error as NodeJS.ErrnoException
    const words = maskSecrets(message || code, listHiddenParts(carrier))
    return { isAccepted: false, refusal: `The carrier cannot be reached: ${words}` }
  }
}
