import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { type Insertable, sql } from 'kysely'
import { z } from 'zod'
import { readBasic } from '../../auth/basic-credentials.ts'
import { identifyKey, isKey, isNamed, type KeyHolder, keyHolderById } from '../../auth/identify-key.ts'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import { readOrMakeParam } from '../../db/secrets.ts'
import type { Tables } from '../../db/tables.ts'
import type { Ctx, Services } from '../../http/context.ts'
import { callerOfKey, type SendingCaller } from '../../http/middleware/sender.ts'
import { clientIp } from '../../http/server/store-of.ts'
import { effectiveScopes, grants, REFRESH_SCOPE, SCOPES, type Scopes } from '../../request/scopes.ts'
import { checkShape } from '../../sms/send/check-shape.ts'
import { scopeRequired } from '../../sms/send/judge.ts'
import { gatewayRefusal, invalid } from '../../sms/send/refusals.ts'
import { randomText } from '../../tools/random.ts'

/** A caller of SMSGate's client API: a user, by an API key or a token issued for an API key. */
export interface ClientCaller extends SendingCaller {
  /** The prefix of the API key's secret. */
  readonly secret: string
  readonly scopes: Scopes
  /** Undefined if the caller sent the API key itself. */
  readonly token?: LiveToken
}

const BEARER = /^bearer +(\S+) *$/i
const bearerIn = (authorization: string) => BEARER.exec(authorization)?.[1] ?? ''

/** The API key of an Authorization header, '' for none. */
export function keyIn(authorization: string): string {
  const key = readBasic(authorization)?.password ?? bearerIn(authorization)
  return isKey(key) ? key : ''
}

/** The caller by Basic (user, API key) or Bearer (API key or token). Throws 401, or 403 without the scope. */
export async function requireClient(c: Ctx, services: Services, scope: string, cached: boolean) {
  const caller = await identifyClient(c, services, cached)
  if (!caller) throw gatewayRefusal('unauthorized', 'Unauthorized')
  if (grants(caller.scopes, scope)) return caller
  if (cached) return requireClient(c, services, scope, false)
  throw scopeRequired(scope)
}

async function identifyClient(c: Ctx, services: Services, cached: boolean): Promise<ClientCaller | null> {
  const { authorization = '' } = c.env.incoming.headers
  const key = keyIn(authorization)
  const basic = readBasic(authorization)
  if (!key) return basic ? null : identifyToken(c, services, bearerIn(authorization))
  const holder = await identifyKey(services.store.signIn, { key, ip: clientIp(c, services) }, { cached })
  if (!holder || (basic && !isNamed(holder, basic.identity))) return null
  return callerOf(c, services, holder)
}

/** The caller of a token; null if it expired or was revoked, or its API key is invalid. */
async function identifyToken(c: Ctx, services: Services, text: string): Promise<ClientCaller | null> {
  const store = services.store.signIn
  const jti = text ? await readToken(store.db, text) : null
  const token = jti && (await findToken(store, jti))
  const holder = token && (await keyHolderById(store, token.apiKey, token.secret))
  if (!holder || holder.auth.id !== token.user) return null
  const caller = callerOf(c, services, holder)
  const scopes = token.scopes.filter((scope) => scope === REFRESH_SCOPE || grants(caller.scopes, scope))
  return { ...caller, scopes, token }
}

const callerOf = (c: Ctx, services: Services, holder: KeyHolder): ClientCaller => ({
  ...callerOfKey(c, services, holder),
  secret: holder.secret,
  scopes: effectiveScopes(holder.scopes),
})

const ACCESS_SECONDS = 15 * 60
const REFRESH_SECONDS = 30 * 86_400
const MAX_TTL = Number.MAX_SAFE_INTEGER
const ID_LENGTH = 21
/** A refresh token's `jti` is the id of its pair of tokens, followed by this suffix. */
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
      .describe('Seconds. At most 15 minutes; 0 means 15 minutes, too.'),
  })
  .meta({ id: 'SmsgateTokenRequest' })

/** User, API key and scopes of a token. A refresh token has one scope: to get a new pair of tokens. */
interface Grant {
  readonly user: string
  readonly apiKey: string
  /** The prefix of the API key's secret when the token was issued. */
  readonly secret: string
  readonly scopes: Scopes
}

/** Issues an access and a refresh token. Throws 400 for unknown scopes, 403 for scopes the caller lacks. */
export async function issueTokens(call: ClientCaller & { readonly c: Ctx; readonly json: unknown }) {
  const { c, store, user, sentBy: apiKey, secret, scopes: allowed } = call
  const { scopes, ttl } = checkShape(TOKEN_BODY, call.json)
  for (const [i, scope] of scopes.entries()) {
    if (!SCOPES.some((known) => known === scope)) throw invalid(`scopes[${i}] is not a known scope`)
    if (!grants(allowed, scope)) throw gatewayRefusal('forbidden', `scope required: ${scope}`)
  }
  const seconds = Math.min(ttl || ACCESS_SECONDS, ACCESS_SECONDS)
  return insertPair(c, store.db, { user, apiKey, secret, scopes: [...new Set(scopes)] }, seconds)
}

/** Maximum token pairs of a user. A new pair deletes the oldest: some programs request one for each call. */
const MAX_PAIRS = 1_000

type Pair = Omit<Insertable<Tables['smsgate_tokens']>, 'access_until' | 'refresh_until'>

const storePair = (db: Db, pair: Pair, exp: number, refreshExp: number) =>
  queries(db)
    .with('ended', (query) =>
      query.deleteFrom('smsgate_tokens').where('id', 'in', ({ selectFrom }) =>
        selectFrom('smsgate_tokens')
          .select('id')
          .where('user', '=', pair.user)
          .orderBy('created', 'desc')
          .orderBy('id')
          .offset(sql.lit(MAX_PAIRS - 1)),
      ),
    )
    .insertInto('smsgate_tokens')
    .values({
      ...pair,
      access_until: sql<Date>`to_timestamp(${exp}::float8)`,
      refresh_until: sql<Date>`to_timestamp(${refreshExp}::float8)`,
    })
    .execute()

/** Adds a pair of tokens. The answer has each field twice, as SMSGate's server and its clients spell it. */
async function insertPair(c: Ctx, db: Db, { user, apiKey, secret, scopes }: Grant, seconds: number) {
  const id = randomText(ID_LENGTH)
  const iat = Math.floor(Date.now() / 1000)
  const [exp, refreshExp] = [iat + seconds, iat + REFRESH_SECONDS]
  await storePair(db, { id, user, api_key: apiKey, secret, scopes: [...scopes] }, exp, refreshExp)
  const about = { sub: user, iss: 'pocketsms', iat, user_id: user }
  const key = await secretOf(db)
  const sign = (claims: JWTPayload) =>
    new SignJWT({ ...about, ...claims }).setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' }).sign(key)
  const access = await sign({ jti: id, exp, scopes })
  const refresh = await sign({ jti: id + REFRESH_SUFFIX, exp: refreshExp, scopes: [REFRESH_SCOPE] })
  const end = new Date(exp * 1000).toISOString()
  c.header('cache-control', 'no-store')
  return {
    ...{ id, token_type: 'Bearer', access_token: access, refresh_token: refresh, expires_at: end },
    ...{ tokenType: 'Bearer', accessToken: access, refreshToken: refresh, expiresAt: end },
  }
}

/** A valid access or refresh token, with the id of its pair and the API key that issued it. */
interface LiveToken extends Grant {
  readonly pair: string
}

function pairOf(jti: string): { readonly pair: string; readonly isRefresh: boolean } {
  const isRefresh = jti.endsWith(REFRESH_SUFFIX)
  return { pair: isRefresh ? jti.slice(0, -REFRESH_SUFFIX.length) : jti, isRefresh }
}

/** The token with this `jti`; null if it has expired, was revoked, or is a refresh token that was used. */
async function findToken({ db }: Store, jti: string): Promise<LiveToken | null> {
  const { pair, isRefresh } = pairOf(jti)
  const found = await queries(db)
    .selectFrom('smsgate_tokens')
    .select(['user', 'api_key as apiKey', 'secret', 'scopes'])
    .select(sql<boolean>`access_until > now()`.as('isAccessLive'))
    .select(sql<boolean>`refresh_until > now() and not is_refreshed`.as('isRefreshLive'))
    .where('id', '=', pair)
    .executeTakeFirst()
  if (!(isRefresh ? found?.isRefreshLive : found?.isAccessLive)) return null
  const { user, apiKey, secret, scopes } = found!
  return { pair, user, apiKey, secret, scopes: isRefresh ? [REFRESH_SCOPE] : scopes }
}

/**
 * Issues a new pair with the same scopes. A refresh token works once, then throws 401. The old access token
 * stays valid until it expires.
 */
export function refreshTokens({ c, store, token }: ClientCaller & { readonly c: Ctx }) {
  return store.db.transaction(async (db) => {
    const used = await queries(db)
      .updateTable('smsgate_tokens')
      .set({ is_refreshed: true })
      .where('id', '=', token!.pair)
      .where('is_refreshed', '=', false)
      .where('refresh_until', '>', sql<Date>`now()`)
      .returning('scopes')
      .executeTakeFirst()
    if (!used) throw gatewayRefusal('unauthorized', 'Unauthorized')
    return insertPair(c, db, { ...token!, ...used }, ACCESS_SECONDS)
  })
}

/** Revokes both tokens of a user's pair. An unknown id is no error. */
export async function revokeTokens({ store, user, id }: ClientCaller & { readonly id: string }) {
  const { pair } = pairOf(id)
  await queries(store.db)
    .deleteFrom('smsgate_tokens')
    .where('id', '=', pair)
    .where('user', '=', user)
    .execute()
}

export const deleteOldTokens = ({ db }: Store) =>
  queries(db).deleteFrom('smsgate_tokens').where('refresh_until', '<=', sql<Date>`now()`).execute()

const ALGORITHM = 'HS256'
const PARAM = 'smsgateTokenSecret'
const SECRET_LENGTH = 43

/**
 * The secret that signs SMSGate tokens. PocketBase has another: neither kind of token passes as the other.
 */
async function secretOf(db: Db): Promise<Uint8Array> {
  const secret = await readOrMakeParam(db, PARAM, async () => JSON.stringify(randomText(SECRET_LENGTH)))
  return new TextEncoder().encode(JSON.parse(secret) as string)
}

/** The `jti` of a token that this server signed and that has not expired; null for any other text. */
async function readToken(db: Db, token: string): Promise<string | null> {
  if (token.split('.').length !== 3) return null
  const secret = await secretOf(db)
  try {
    const options = { algorithms: [ALGORITHM], requiredClaims: ['jti', 'exp'] }
    const { payload } = await jwtVerify(token, secret, options)
    return payload.jti!
  } catch {
    return null // for example after a wrong signature
  }
}
