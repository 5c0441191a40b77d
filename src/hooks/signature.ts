import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.ts'
import { PRESETS } from '../portable/presets.ts'
import { isSigned } from '../webhooks/secrets.ts'

/** How far the time of a signature may be away: what Standard Webhooks and ZITADEL recommend. */
const TOLERANCE_SECONDS = 300
/** How long a signed body may be posted again: its time may lie in the future, too. */
export const REPLAY_MINUTES = (2 * TOLERANCE_SECONDS) / 60

export interface Posted {
  readonly raw: string
  readonly isForm: boolean
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The Message-ID of a mail: mails with the same one are sent once a day. */
  readonly messageId?: string
}

interface Signed {
  readonly preset: keyof typeof PRESETS
  readonly signing_secret: string
}

/** Supabase writes `v1,` before a secret of Standard Webhooks. */
export const standardSecret = (secret: string): string => secret.replace(/^v1,/, '')

/** Checks a body's signature. Returns a name that a replay has, too; '' for an unsigned hook. Throws 401. */
export function checkSignature({ preset, signing_secret: secret }: Signed, posted: Posted): string {
  if (secret === '') return ''
  const check = PRESETS[preset].codes?.signed === 'zitadel' ? zitadelName : standardName
  const name = check(secret, posted)
  if (name) return name
  throw new ApiError(401, 'The signature of the body is missing, wrong or too old.')
}

/** https://www.standardwebhooks.com */
const standardName = (secret: string, { raw, headers }: Posted): string | undefined =>
  isSigned(raw, headers, standardSecret(secret)) ? headers['webhook-id'] : undefined

/** `t=1790000000,v1=…`: the HMAC of time and body. zitadel/zitadel, pkg/actions/signing.go */
function zitadelName(secret: string, { raw, headers }: Posted): string | undefined {
  const parts = (headers['zitadel-signature'] ?? '').split(',').map((part) => part.trim().split('='))
  const at = Number(parts.find(([name]) => name === 't')?.[1])
  if (!(Math.abs(Date.now() / 1000 - at) <= TOLERANCE_SECONDS)) return undefined
  const signature = createHmac('sha256', secret).update(`${at}.${raw}`).digest('hex')
  return parts.some(([name, value]) => name === 'v1' && isSame(value, signature)) ? signature : undefined
}

const isSame = (a: string | undefined, b: string) => timingSafeEqual(digest(a ?? ''), digest(b))
const digest = (text: string) => createHash('sha256').update(text).digest()
