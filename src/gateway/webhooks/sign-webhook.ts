import { createHmac, createSecretKey } from 'node:crypto'

/** Whether a secret can sign: `whsec_` and base64. An imported secret may be something else. */
export const isSecret = (text: string): boolean => SECRET.test(text)
const SECRET =
  /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/

/**
 * The signature of Standard Webhooks, without a check of the secret. https://www.standardwebhooks.com
 * By a KeyObject: Node signs with it in 3 µs, and with the bytes themselves in 11.
 */
export const signText = (secret: string, text: string): string =>
  `v1,${createHmac('sha256', createSecretKey(secret.slice('whsec_'.length), 'base64'))
    .update(text)
    .digest('base64')}`

/** Headers of Standard Webhooks with a signature per secret: two during a rotation. */
export function makeSignatureHeaders(
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: string },
  secrets: readonly string[],
): Record<string, string> {
  const time = Math.floor(at.getTime() / 1000)
  const signatures = secrets.map((secret) => signText(secret, `${id}.${time}.${body}`))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': signatures.join(' '),
  }
}
