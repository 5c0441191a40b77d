import { isKey } from '../../engine/auth/identify-key.ts'
import { readHeaderToken } from '../../engine/auth/tokens.ts'
import { ApiError, GatewayError, unauthorized } from '../../platform/api-errors.ts'
import { findApi, isBelow } from '../metrics/group-requests.ts'
import type { Api, Ctx } from '../request-context.ts'

const RECORDS = '/api/collections/'
const FOR_HEADER = 'This is an API key. Send it in the header X-API-Key.'

/** The root of a path of our own, such as `/api/sms`; undefined for all others. */
export const findOwnApiRoot = (apis: readonly Api[], path: string): string | undefined =>
  findOwnApi(apis, path)?.roots.find((root) => isBelow(root, path))

const findOwnApi = (apis: readonly Api[], path: string): Api | undefined => {
  const api = findApi(apis, path)
  return api?.isOwn ? api : undefined
}

/**
 * A 401 says where an API key belongs, if the request has one in the wrong place: as `hint` beside `error`,
 * else as the message. PocketBase's 401 stays.
 */
export function addKeyHint(c: Ctx, error: unknown, apis: readonly Api[]): unknown {
  const isRefusal = error instanceof GatewayError && error.body.error === 'unauthorized'
  if (!isRefusal && !(error instanceof ApiError && error.status === 401)) return error
  const hint = findKeyHint(c, apis, isRefusal)
  if (hint === undefined) return error
  return isRefusal ? new GatewayError(401, { ...error.body, hint }) : unauthorized(hint)
}

function findKeyHint(
  { req: { path }, env }: Ctx,
  apis: readonly Api[],
  isRefusal: boolean,
): string | undefined {
  const own = findOwnApi(apis, path)
  if (!own && !(isRefusal && path.startsWith(RECORDS))) return undefined
  const { authorization, 'x-api-key': header } = env.incoming.headers
  const isBearer = isKey(readHeaderToken(authorization))
  if (own?.takesKeys) return isBearer ? FOR_HEADER : undefined
  return isBearer || header !== undefined ? writeTokenHint(apis) : undefined
}

function writeTokenHint(apis: readonly Api[]): string {
  const roots = apis.flatMap((api) => (api.takesKeys ? api.roots : []))
  return `API keys open only ${roots.join(' and ')}. Sign in as a user, and send the token in Authorization.`
}
