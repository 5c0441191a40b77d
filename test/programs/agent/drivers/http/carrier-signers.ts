import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { carrierLibrary } from '../../../../third-party/carrier-libraries.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
/** The last 32 bytes of the key in DER are the key itself. RFC 8410 */
const PUBLIC_KEY = publicKey
  .export({ format: 'der', type: 'spki' })
  .subarray(-32)
  .toString('base64')

const WHSEC = `whsec_${Buffer.from('open sesame, and never close').toString('base64')}`
const hmac = (hash: string, key: string, text: string) =>
  createHmac(hash, key).update(text).digest('base64')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function tokenOf(claims: object): string {
  const iat = Math.floor(Date.now() / 1000)
  const parts = [
    { alg: 'HS256', typ: 'JWT' },
    { iat, ...claims },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const mark = createHmac('sha256', 'sesame').update(parts.join('.')).digest('base64url')
  return [...parts, mark].join('.')
}

type Headers = Readonly<Record<string, string>>
interface Signer {
  /** Signs as the carrier's documentation says. */
  readonly sign: (url: string, body: string) => Headers
  /** Whether the carrier's own library accepts the call. GatewayAPI has none for this. */
  readonly verify?: (url: string, body: string, headers: Headers) => unknown
}

const now = () => String(Math.floor(Date.now() / 1000))
/** Signs calls as each carrier does, with the secret of SECRETS. Presets without a signature have none. */
export const SIGNERS: Readonly<Record<string, Signer>> = {
  twilio: {
    sign(url, body) {
      const fields = [...new URLSearchParams(body)].sort(([a], [b]) => (a < b ? -1 : 1))
      return { 'x-twilio-signature': hmac('sha1', 'sesame', url + fields.flat().join('')) }
    },
    verify: (url, body, headers) =>
      carrierLibrary('twilio').validateRequest(
        'sesame',
        headers['x-twilio-signature'],
        url,
        Object.fromEntries(new URLSearchParams(body)),
      ),
  },
  telnyx: {
    sign(_, body) {
      const timestamp = now()
      const mark = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString('base64')
      return { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': mark }
    },
    async verify(_, body, headers) {
      const { TelnyxWebhook } = carrierLibrary('telnyx/lib/webhooks')
      await new TelnyxWebhook(PUBLIC_KEY).verify(body, headers)
      return true
    },
  },
  vonage: {
    sign: (_, body) => ({ authorization: `Bearer ${tokenOf({ payload_hash: sha256(body) })}` }),
    verify: (_, __, { authorization }) =>
      carrierLibrary('@vonage/jwt').verifySignature(authorization!.slice(7), 'sesame'),
  },
  plivo: {
    sign: (url) => ({
      'x-plivo-signature-v2': hmac('sha256', 'sesame', `${url.split('?')[0]}05429567804466091622`),
      'x-plivo-signature-v2-nonce': '05429567804466091622',
    }),
    verify: (url, _, headers) =>
      carrierLibrary('plivo').validateSignature(
        url,
        headers['x-plivo-signature-v2-nonce'],
        headers['x-plivo-signature-v2'],
        'sesame',
      ),
  },
  messagebird: {
    sign: (url, body) => {
      const hash = body === '' ? {} : { payload_hash: sha256(body) }
      const claims = {
        url_hash: sha256(url),
        ...hash,
        jti: 'a',
        iss: 'MessageBird',
        exp: Number(now()) + 60,
      }
      return { 'messagebird-signature-jwt': tokenOf(claims) }
    },
    verify: (url, body, headers) =>
      carrierLibrary('messagebird/lib/webhook-signature-jwt').verify(
        url,
        Buffer.from(body),
        headers['messagebird-signature-jwt'],
        Buffer.from('sesame'),
      ),
  },
  sinch: {
    sign(_, body) {
      const timestamp = now()
      return {
        'x-sinch-webhook-signature': hmac('sha256', 'sesame', `${body}.nonce1.${timestamp}`),
        'x-sinch-webhook-signature-nonce': 'nonce1',
        'x-sinch-webhook-signature-timestamp': timestamp,
        'x-sinch-webhook-signature-algorithm': 'HmacSHA256',
      }
    },
    verify(_, body, headers) {
      const { SmsCallbackWebhooks } = carrierLibrary('@sinch/sdk-core')
      return new SmsCallbackWebhooks('sesame').validateAuthenticationHeader(headers, body)
    },
  },
  seven: {
    sign(url, body) {
      const timestamp = now()
      const md5 = createHash('md5').update(body).digest('hex')
      const text = [timestamp, 'nonce1', body === '' ? 'GET' : 'POST', url, md5].join('\n')
      const mark = createHmac('sha256', 'sesame').update(text).digest('hex')
      return { 'x-timestamp': timestamp, 'x-nonce': 'nonce1', 'x-signature': mark }
    },
    async verify(url, body, headers) {
      const { WebhookVerifier } = carrierLibrary('@seven.io/client')
      const method = body === '' ? 'GET' : 'POST'
      const call = { headers, body, url, method }
      return (await new WebhookVerifier({ signingSecret: 'sesame' }).verify(call)).valid
    },
  },
  pocketsms: {
    sign(_, body) {
      const at = new Date()
      const mark = new Webhook(WHSEC).sign('msg_1', at, body)
      const timestamp = String(Math.floor(at.getTime() / 1000))
      return { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': mark }
    },
  },
  gatewayapi: {
    sign: (_, body) => ({
      signature: `v1=${createHmac('sha256', 'sesame').update(body).digest('hex')}`,
    }),
  },
}

/** Secrets that verify the calls of SIGNERS. The others' secret is `sesame`. */
export const SECRETS: Readonly<Record<string, { readonly webhook_secret: string }>> = {
  telnyx: { webhook_secret: PUBLIC_KEY },
  pocketsms: { webhook_secret: WHSEC },
}
