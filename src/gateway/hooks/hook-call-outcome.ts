import { z } from 'zod'
import { ApiError, GatewayError } from '../../platform/api-errors.ts'
import type { Handshake } from './answer-challenge.ts'

export const OUTCOMES = z.enum([
  'sent',
  'waiting',
  'repeated',
  'resolved',
  'skipped',
  'limited',
  'refused',
  'disabled',
] as const)

export const HOOK_TEXTS = z.array(z.object({ to: z.string(), text: z.string() }))

export interface HookCall {
  readonly outcome: z.output<typeof OUTCOMES>
  readonly texts?: z.output<typeof HOOK_TEXTS>
  readonly messages?: readonly string[]
  readonly wake?: readonly string[]
  readonly refusal?: ApiError
  /** A fault of the body that did not prevent the text, for the stored call. */
  readonly note?: string
  readonly handshake?: Handshake
}

/** Turns a refusal into the outcome of a call. Rethrows rate limits and faults of the server. */
export function toRefusedCall(error: unknown): HookCall {
  if (error instanceof ApiError && [400, 401, 413].includes(error.status))
    return { outcome: 'refused', refusal: error }
  if (!(error instanceof GatewayError)) throw error
  const status = error.status === 403 || error.status === 503 ? error.status : 400
  return { outcome: 'refused', refusal: new ApiError(status, error.message) }
}

/** Maximum recipients whose texts are stored with a call or shown in a preview. */
const MAX_TEXTS = 20

export const listOutcomeTexts = (phones: readonly string[], text: string) =>
  phones.slice(0, MAX_TEXTS).map((to) => ({ to, text }))
