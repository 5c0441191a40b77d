import { Webhook } from 'standardwebhooks'

/** Whether a secret can sign: `whsec_` and base64. An imported secret may be something else. */
export const isSecret = (text: string): boolean => SECRET.test(text)
const SECRET =
  /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/

/** Whether a received call is signed with the secret, and its timestamp is within five minutes of now. */
export function isSigned(
  raw: string,
  headers: Readonly<Record<string, string>>,
  secret: string,
): boolean {
  try {
    new Webhook(secret).verify(raw, headers, { jsonParse: false })
    return true
  } catch {
    return false
  }
}

/** Headers of Standard Webhooks with a signature per secret: two during a rotation. */
export function makeSignatureHeaders(
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
