import { isKey } from '../../engine/auth/identify-key.ts'
import { tokenOf } from '../../engine/auth/tokens.ts'
import { ApiError, GatewayError, unauthorized } from '../../platform/errors.ts'
import type { Ctx } from '../context.ts'

/** First segments below `/api/` that PocketBase lacks: their answers may say more than its answers. */
const OWN = new Set(
  'sms verify campaigns devices webhooks hooks account contacts person users audit jobs warnings'.split(' '),
)
/** Roots whose routes take API keys. */
const FOR_KEYS = new Set(['/api/sms', '/api/verify'])
const RECORDS = '/api/collections/'
const FOR_HEADER = 'This is an API key. Send it in the header X-API-Key.'
const FOR_TOKENS =
  'API keys open only /api/sms and /api/verify. Sign in as a user, and send the token in Authorization.'

/** The root of a path that is not PocketBase's, such as `/api/sms`; undefined for all others. */
export function ownRootOf(path: string): string | undefined {
  const [, api, segment = ''] = path.split('/', 3)
  return api === 'api' && OWN.has(segment) ? `/api/${segment}` : undefined
}

/**
 * A 401 says where an API key belongs, if the request has one in the wrong place: as `hint` beside `error`,
 * else as the message. PocketBase's 401 stays.
 */
export function withKeyHint(c: Ctx, error: unknown): unknown {
  const isRefusal = error instanceof GatewayError && error.body.error === 'unauthorized'
  if (!isRefusal && !(error instanceof ApiError && error.status === 401)) return error
  const hint = keyHint(c, isRefusal)
  if (hint === undefined) return error
  return isRefusal ? new GatewayError(401, { ...error.body, hint }) : unauthorized(hint)
}

function keyHint({ req: { path }, env }: Ctx, isRefusal: boolean): string | undefined {
  const root = ownRootOf(path)
  if (!root && !(isRefusal && path.startsWith(RECORDS))) return undefined
  const { authorization, 'x-api-key': header } = env.incoming.headers
  const isBearer = isKey(tokenOf(authorization))
  if (root && FOR_KEYS.has(root)) return isBearer ? FOR_HEADER : undefined
  return isBearer || header !== undefined ? FOR_TOKENS : undefined
}
