import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { grants, REFRESH_SCOPE, SCOPES, type Scopes } from '../../auth/tokens/scopes.ts'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { readOrMakeParam } from '../../db/secrets.ts'
import { list, number, run, runForRow, statement, text, textOrNull } from '../../db/statement.ts'
import { checkShape, gatewayRefusal, invalid } from '../../sms/send/shape.ts'
import { randomText } from '../../tools/random.ts'

const ACCESS_SECONDS = 15 * 60
const REFRESH_SECONDS = 30 * 86_400
const MAX_TTL = Number.MAX_SAFE_INTEGER
const ID_LENGTH = 21
/** Suffix of a pair's id in the `jti` of its refresh token. */
const REFRESH_SUFFIX = ':refresh'

export const TOKEN_BODY = z
  .object({
    scopes: z
      .array(z.string('must be a text'), 'must be a list')
      .min(1, 'must name at least one scope')
      .max(50, 'must have at most 50 items'),
    ttl: z
      .int('must be a whole number')
      .min(0, 'must not be negative')
      .max(MAX_TTL)
      .nullish()
      .describe('Seconds. At most 15 minutes, which is what 0 means, too.'),
  })
  .meta({ id: 'SmsgateTokenRequest' })

/** User, API key and scopes of a token. A refresh token has one scope: to get another pair. */
interface Grant {
  readonly user: string
  readonly apiKey: string
  /** The prefix of the key's secret that made it; null from a server of the release before. */
  readonly secret: string | null
  readonly scopes: Scopes
}

/** Makes a pair of tokens within the scopes `allowed`. Throws 400, 403. */
export async function issueTokens(
  store: Store,
  caller: Omit<Grant, 'scopes'>,
  allowed: Scopes,
  raw: unknown,
) {
  const { scopes, ttl } = checkShape(TOKEN_BODY, raw)
  for (const [i, scope] of scopes.entries()) {
    if (!SCOPES.some((known) => known === scope)) throw invalid(`scopes[${i}] is no known scope`)
    if (!grants(allowed, scope)) throw gatewayRefusal('forbidden', `scope required: ${scope}`)
  }
  const seconds = Math.min(ttl || ACCESS_SECONDS, ACCESS_SECONDS)
  return insertPair(store, { ...caller, scopes: [...new Set(scopes)] }, seconds)
}

/** Maximum pairs of a user. A new one ends the oldest: some programs request a pair each time. */
const MAX_PAIRS = 1_000

const INSERT = statement('smsgate add tokens', {})`
with ended as (
  delete from smsgate_tokens where id in (
    select id from smsgate_tokens where "user" = ${text('user')} order by created desc, id offset ${MAX_PAIRS - 1})
)
insert into smsgate_tokens (id, "user", api_key, secret, scopes, access_until, refresh_until)
values (${text('id')}, ${text('user')}, ${text('apiKey')}, ${textOrNull('secret')}, ${list('scopes')}, to_timestamp(${number('exp')}::float8),
  to_timestamp(${number('refreshExp')}::float8))`

/** Adds a pair. The answer has the spellings of SMSGate's server and of its clients. */
async function insertPair(store: Store, { user, apiKey, secret, scopes }: Grant, seconds: number) {
  const id = randomText(ID_LENGTH)
  const iat = Math.floor(Date.now() / 1000)
  const [exp, refreshExp] = [iat + seconds, iat + REFRESH_SECONDS]
  await run(store.db, INSERT, { id, user, apiKey, secret, scopes, exp, refreshExp })
  const about = { sub: user, iss: 'pocketsms', iat, user_id: user }
  const sign = (claims: JWTPayload) => signClaims(store.db, { ...about, ...claims })
  const access = await sign({ jti: id, exp, scopes })
  const refresh = await sign({ jti: id + REFRESH_SUFFIX, exp: refreshExp, scopes: [REFRESH_SCOPE] })
  const end = new Date(exp * 1000).toISOString()
  return {
    ...{ id, token_type: 'Bearer', access_token: access, refresh_token: refresh, expires_at: end },
    ...{ tokenType: 'Bearer', accessToken: access, refreshToken: refresh, expiresAt: end },
  }
}

/** A valid token: the pair that it belongs to, and the API key that made the pair. */
export interface LiveToken extends Grant {
  readonly pair: string
}

function pairOf(jti: string): { readonly pair: string; readonly isRefresh: boolean } {
  const isRefresh = jti.endsWith(REFRESH_SUFFIX)
  return { pair: isRefresh ? jti.slice(0, -REFRESH_SUFFIX.length) : jti, isRefresh }
}

const FIND = statement('smsgate find token', {
  ...{ user: 'string', apiKey: 'string', secret: 'string?', scopes: 'string[]' },
  ...{ isAccessLive: 'boolean', isRefreshLive: 'boolean' },
})`
select "user", api_key as "apiKey", secret, scopes, access_until > now() as "isAccessLive",
  refresh_until > now() and not is_refreshed as "isRefreshLive" from smsgate_tokens where id = ${text('id')}`

/** The token with this `jti`; null if it has expired, was revoked or used. */
export async function findToken({ db }: Store, jti: string): Promise<LiveToken | null> {
  const { pair, isRefresh } = pairOf(jti)
  const found = await runForRow(db, FIND, { id: pair })
  if (!(isRefresh ? found?.isRefreshLive : found?.isAccessLive)) return null
  const { user, apiKey, secret, scopes } = found!
  return { pair, user, apiKey, secret, scopes: isRefresh ? [REFRESH_SCOPE] : scopes }
}

const USE = statement('smsgate use refresh token', { scopes: 'string[]' })`
update smsgate_tokens set is_refreshed = true
where id = ${text('id')} and not is_refreshed and refresh_until > now() returning scopes`

/** Replaces a pair by a new one with the same scopes. A refresh token works once, then throws 401. */
export function refreshTokens(store: Store, { pair, user, apiKey, secret }: LiveToken) {
  return store.db.transaction(async (db) => {
    const used = await runForRow(db, USE, { id: pair })
    if (!used) throw gatewayRefusal('unauthorized', 'Unauthorized')
    return insertPair({ db, catalog: store.catalog }, { user, apiKey, secret, ...used }, ACCESS_SECONDS)
  })
}

/** Ends both tokens of a user's pair. An unknown pair is no error. */
export async function revokeTokens({ db }: Store, user: string, id: string): Promise<void> {
  const { pair } = pairOf(id)
  await db.query('delete from smsgate_tokens where id = $1 and "user" = $2', [pair, user], 'smsgate revoke')
}

/** Deletes pairs that have ended. */
export const deleteOldTokens = ({ db }: Store) =>
  db.query('delete from smsgate_tokens where refresh_until <= now()')

const ALGORITHM = 'HS256'
const PARAM = 'smsgateTokenSecret'
const SECRET_LENGTH = 43

/** A separate secret: these tokens are not valid as PocketBase tokens, nor the reverse. */
async function secretOf(db: Db): Promise<Uint8Array> {
  const secret = await readOrMakeParam(db, PARAM, async () => JSON.stringify(randomText(SECRET_LENGTH)))
  return new TextEncoder().encode(JSON.parse(secret) as string)
}

async function signClaims(db: Db, claims: JWTPayload): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' }).sign(await secretOf(db))
}

/** The `jti` of a token that this server signed and that has not expired; null for any other text. */
export async function readToken(db: Db, token: string): Promise<string | null> {
  if (token.split('.').length !== 3) return null
  const secret = await secretOf(db)
  try {
    const options = { algorithms: [ALGORITHM], requiredClaims: ['jti', 'exp'] }
    const { payload } = await jwtVerify(token, secret, options)
    return payload.jti!
  } catch {
    return null // a bad signature is an answer, not a fault
  }
}
