import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import { isObject, parseJson } from '../../../../platform/tools/json.ts'
import type { Signature } from './preset.ts'

/** A request of the carrier to our address. `url`: as the carrier wrote it, with the query. */
export interface SignedCall {
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** How old a signed call may be, and how far ahead its clock: five minutes, as Standard Webhooks says. */
const MAX_AGE_SECONDS = 300
/** The head of an Ed25519 key in DER, before its 32 bytes. RFC 8410, 10.1 */
const ED25519_HEAD = Buffer.from('302a300506032b6570032100', 'hex')
/** The HMACs that may sign a token, by the bits of their hashes. RFC 7518, 3.1 */
const TOKEN_HMAC = /^HS(256|384|512)$/
const FORM = /^application\/x-www-form-urlencoded\b/i

export const isFormCall = ({ headers }: SignedCall): boolean =>
  FORM.test(headers['content-type'] ?? '')

/** Maximum fields of a query or form that are read. Carriers send some twenty, of a text with media fifty. */
const MAX_FIELDS = 100

export const splitFormPairs = (text: string): string[] => text.split('&', MAX_FIELDS)

export const readCallQuery = ({ url }: SignedCall): string => url.split('?')[1] ?? ''

export const parseFormFields = (text: string): URLSearchParams =>
  new URLSearchParams(splitFormPairs(text).join('&'))

export const readCallForm = (call: SignedCall): URLSearchParams =>
  parseFormFields(isFormCall(call) ? call.body.toString() : '')

/** Whether a call is signed with the secret now. Without a secret no call is. */
export function isCallSigned(
  signature: Signature,
  call: SignedCall,
  secret: string,
  now = new Date(),
): boolean {
  const given = call.headers[signature.header]
  if (secret === '' || !given) return false
  const seconds = Math.floor(now.getTime() / 1000)
  if (signature.kind === 'jwt') return isCallToken(signature, call, given, secret, seconds)
  const { timestamp } = signature
  if (timestamp && !(Math.abs(seconds - Number(call.headers[timestamp])) <= MAX_AGE_SECONDS))
    return false
  if (signature.kind === 'ed25519')
    return isSignedEd25519(joinSignedParts(signature.of, call), given, secret)
  const key =
    signature.key === 'whsec' ? Buffer.from(secret.replace(/^whsec_/, ''), 'base64') : secret
  // with an empty key everybody could sign
  if (key.length === 0) return false
  // several signatures in a header: `v1,… v1,…` of Standard Webhooks, `…,…` of Plivo; `sha256=…`, `v1=…`
  const marks = given
    .split(/[ ,]/)
    .map((each) => Buffer.from(each.replace(/^(sha|v)\d+=/, ''), signature.encoding))
  return [signature.of, ...(signature.orOf ? [signature.orOf] : [])].some((parts) => {
    const wanted = createHmac(signature.hash, key).update(joinSignedParts(parts, call)).digest()
    return marks.some((mark) => isEqualSignature(mark, wanted))
  })
}

const joinSignedParts = (parts: readonly string[], call: SignedCall) =>
  Buffer.concat(parts.map((part) => readSignedPart(part, call)))

const isEqualSignature = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

function readSignedPart(part: string, call: SignedCall): Buffer {
  if (part === 'body') return call.body
  if (part === 'body-md5') return Buffer.from(createHash('md5').update(call.body).digest('hex'))
  if (part === 'method') return Buffer.from(call.method)
  if (part === 'url') return Buffer.from(call.url)
  if (part === 'path') return Buffer.from(call.url.replace(/^\w+:\/\/[^/]*/, ''))
  if (part === 'params') return Buffer.from(sortPairs(readCallForm(call)).flat().join(''))
  if (part === 'address') return Buffer.from(call.url.split('?')[0]!)
  return Buffer.from(part.startsWith('header:') ? (call.headers[part.slice(7)] ?? '') : part)
}

const sortPairs = (pairs: URLSearchParams) =>
  [...pairs].sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : 1))

function isSignedEd25519(text: Buffer, given: string, secret: string): boolean {
  try {
    const der = Buffer.concat([ED25519_HEAD, Buffer.from(secret, 'base64')])
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return verify(null, text, key, Buffer.from(given, 'base64'))
  } catch {
    return false // the secret is not a key
  }
}

/** Checks a token, and the hashes that it must contain. RFC 7515, 7519 */
function isCallToken(
  { bodyHash, urlHash }: Extract<Signature, { kind: 'jwt' }>,
  call: SignedCall,
  given: string,
  secret: string,
  seconds: number,
): boolean {
  const [head = '', payload = '', mark = ''] = given.replace(/^Bearer /i, '').split('.')
  const [{ alg }, claims] = [head, payload].map((part) => decodeClaims(part)) as [Claims, Claims]
  const [, bits] = TOKEN_HMAC.exec(String(alg)) ?? []
  if (!bits) return false
  const wanted = createHmac(`sha${bits}`, secret).update(`${head}.${payload}`).digest()
  if (!isEqualSignature(Buffer.from(mark, 'base64url'), wanted)) return false
  const { iat = seconds, nbf = seconds, exp = Number(iat) + MAX_AGE_SECONDS } = claims
  const isNow =
    Number(nbf) <= seconds + MAX_AGE_SECONDS &&
    Number(exp) >= seconds &&
    Number(iat) >= seconds - MAX_AGE_SECONDS
  const holds = (claim: string | undefined, text: Buffer | string) =>
    claim === undefined || claims[claim] === createHash('sha256').update(text).digest('hex')
  const hasBody = bodyHash !== undefined && (call.body.length > 0 || claims[bodyHash] !== undefined)
  return isNow && holds(hasBody ? bodyHash : undefined, call.body) && holds(urlHash, call.url)
}

type Claims = Record<string, unknown>

function decodeClaims(part: string): Claims {
  const value = parseJson(Buffer.from(part, 'base64url').toString())
  return isObject(value) ? value : {}
}
