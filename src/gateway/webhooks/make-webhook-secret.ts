import { randomBytes } from 'node:crypto'
import { z } from 'zod'

const PREFIX = 'whsec_'

const RANDOM_BYTES = 32

/** Part of the answers to creating a webhook and to rotating its secret, and of no others. */
export const NEW_SECRET = z.object({
  secret: z.string().describe('The secret that signs deliveries: `whsec_…`. Shown only once.'),
})

/** A new secret as Standard Webhooks writes them: `whsec_` and the base64 of 32 random bytes. */
export const makeWebhookSecret = (): string => PREFIX + randomBytes(RANDOM_BYTES).toString('base64')
