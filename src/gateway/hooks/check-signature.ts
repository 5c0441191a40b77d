import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../platform/api-errors.ts'
import type { FormPair } from '../../platform/tools/charsets.ts'
import { PRESETS } from '../../portable/hook-presets.ts'
import type { GivenFile } from '../messages/send/prepare-media.ts'
import type { AskedMedia } from '../messages/send/read-media.ts'
import type { Pictures } from '../messages/send/send-with-pictures.ts'
import { isSecret, signText } from '../webhooks/sign-webhook.ts'
import type { Hook } from './hook-settings.ts'

/** How far a signature's time may differ from ours, as Standard Webhooks and ZITADEL recommend. */
const TOLERANCE_SECONDS = 300
/** How long a signature can be valid: from TOLERANCE_SECONDS before its time until as long after it. */
export const REPLAY_MINUTES = (2 * TOLERANCE_SECONDS) / 60

export interface PostedBody {
  /** The body as text; '' if it could not be read. */
  readonly raw: string
  /** The fields of a form; undefined for another body. */
  readonly form?: readonly FormPair[]
  /** Why the body could not be read: 413 for one that is too large, 400 for a wrong charset. */
  readonly unread?: ApiError
  /** The keys are header names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The Message-ID of a mail. Mails with the same one, text and pictures are sent once a day. */
  readonly messageId?: string
  /** The memory of the request, which counts its pictures. */
  readonly memory: AskedMedia['memory']
  /** The pictures of a mail, which its body names `attachments`. */
  readonly files?: readonly GivenFile[]
  /** As in Pictures. */
  readonly mention?: string
  /** The pictures that the hook asked for: see PicturesWanted. */
  readonly pictures?: Pictures
}

/** Supabase writes `v1,` before a secret of Standard Webhooks. */
export const trimStandardSecret = (secret: string) => secret.replace(/^v1,/, '')

/**
 * Checks a body's signature. Returns a name of the call, the same one if the call is repeated; '' if the hook
 * has no signing secret. Throws 401 for a missing, wrong or old signature.
 */
export function checkSignature(
  { preset, signing_secret: secret }: Hook,
  posted: PostedBody,
): string {
  if (secret === '') return ''
  const check =
    PRESETS[preset].codes?.signed === 'zitadel' ? checkZitadelSignature : checkStandardSignature
  const name = check(secret, posted)
  if (name) return name
  throw new ApiError(401, 'The signature of the body is missing, wrong or too old.')
}

/** The header `webhook-id` if the signature is right, else undefined. https://www.standardwebhooks.com */
function checkStandardSignature(secret: string, { raw, headers }: PostedBody): string | undefined {
  // Svix names its headers `svix-…` instead of `webhook-…`:
  // https://docs.svix.com/receiving/verifying-payloads/how-manual
  const prefix = headers['webhook-id'] === undefined ? 'svix' : 'webhook'
  const [id = '', timestamp = '', signature = ''] = ['id', 'timestamp', 'signature'].map(
    (name) => headers[`${prefix}-${name}`],
  )
  const key = trimStandardSecret(secret)
  if (!isSecret(key) || !isRecent(Number(timestamp))) return undefined
  const right = signText(key, `${id}.${timestamp}.${raw}`)
  return signature.split(' ').some((given) => isSame(given, right)) ? id : undefined
}

/**
 * Checks ZITADEL's header, `t=1790000000,v1=` and the HMAC of time and body. Returns the HMAC if it is right
 * and recent, else undefined. Source: zitadel/zitadel, pkg/actions/signing.go
 */
function checkZitadelSignature(secret: string, { raw, headers }: PostedBody): string | undefined {
  const parts = (headers['zitadel-signature'] ?? '')
    .split(',')
    .map((part) => part.trim().split('='))
  const at = Number(parts.find(([name]) => name === 't')?.[1])
  if (!isRecent(at)) return undefined
  const signature = createHmac('sha256', secret).update(`${at}.${raw}`).digest('hex')
  return parts.some(([name, value]) => name === 'v1' && isSame(value, signature))
    ? signature
    : undefined
}

const isRecent = (at: number) => Math.abs(Date.now() / 1000 - at) <= TOLERANCE_SECONDS
const isSame = (a: string | undefined, b: string) => timingSafeEqual(hashText(a ?? ''), hashText(b))
const hashText = (text: string) => hash('sha256', text, 'buffer')
