import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'

const PREFIX = 'whsec_'
const RANDOM_BYTES = 32

/** Part of the answers to creating a webhook and to rotating its secret, and of no others. */
export const NEW_SECRET = z.object({
  secret: z.string().describe('The secret that signs deliveries: `whsec_…`. Shown only once.'),
})

/** A new secret as Standard Webhooks writes them: `whsec_` and the base64 of 32 random bytes. */
export const newSecret = (): string => PREFIX + randomBytes(RANDOM_BYTES).toString('base64')

/** Whether a secret can sign: `whsec_` and base64. An imported secret may be something else. */
export const isSecret = (text: string): boolean => SECRET.test(text)
const SECRET = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/

/** Whether a received call is signed with the secret, and its timestamp is within five minutes of now. */
export function isSigned(raw: string, headers: Readonly<Record<string, string>>, secret: string): boolean {
  try {
    new Webhook(secret).verify(raw, headers, { jsonParse: false })
    return true
  } catch {
    return false
  }
}

/** Headers of Standard Webhooks with a signature per secret: two during a rotation. */
export function signatureHeaders(
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: string },
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, at, body))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}
