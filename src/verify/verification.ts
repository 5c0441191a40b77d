import { z } from 'zod'
import { INSTANT_OR_EMPTY } from '../fields/instant.ts'
import type { Sender } from '../sms/send/shape.ts'
import type { Wording } from './code-text.ts'

const STATUSES = ['pending', 'approved', 'expired', 'canceled', 'max_attempts_reached'] as const

export const MAX_ATTEMPTS = 5

export type Verification = Readonly<z.output<typeof VERIFICATION>>
export const VERIFICATION = z
  .object({
    id: z.string().describe('A record of `verifications`; empty for one that does not exist.'),
    to: z.string(),
    service: z.string().describe('A record of `verify_services`.'),
    channel: z.enum(['sms']),
    status: z.enum(STATUSES),
    attempts: z.int().min(0).describe(`Checks so far. After ${MAX_ATTEMPTS} it ends.`),
    expires_at: INSTANT_OR_EMPTY,
    created: INSTANT_OR_EMPTY,
    updated: INSTANT_OR_EMPTY,
  })
  .meta({ id: 'Verification' })

/** SQL: the columns of VERIFICATION, of a row `v`. */
export const COLUMNS = `v.id, v."to", v.service, v.channel, v.status, v.attempts, v.expires_at, v.created, v.updated`

/** The purpose of the keys that codes are hashed and encrypted with. */
export const CODES = 'verification'

/** A request for a code. '' and 0 stand for the service's own value. */
export interface Start extends Omit<Wording, 'template'> {
  readonly sender: Sender
  readonly service: string
  readonly to: string
  readonly templateId: string
  readonly length: number
  /** Seconds. */
  readonly ttl: number
  /** The address of who asked for the code, if a program tells it. */
  readonly ip: string
}
