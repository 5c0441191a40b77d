import { type JWTPayload, SignJWT } from 'jose'
import { type Insertable, sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { REFRESH_SCOPE, type Scopes } from '../../engine/request/scopes.ts'
import type { Ctx } from '../../http/request-context.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { ALGORITHM, readTokenSecret } from './signed-token.ts'

export const ACCESS_SECONDS = 15 * 60
const REFRESH_SECONDS = 30 * 86_400
const ID_LENGTH = 21
/** A refresh token's `jti` is the id of its pair of tokens, followed by this suffix. */
const REFRESH_SUFFIX = ':refresh'

/** User, API key and scopes of a token. A refresh token has one scope: to get a new pair of tokens. */
interface Grant {
  readonly user: string
  readonly apiKey: string
  /** The prefix of the API key's secret when the token was issued. */
  readonly secret: string
  readonly scopes: Scopes
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
export async function insertPair(
  c: Ctx,
  db: Db,
  { user, apiKey, secret, scopes }: Grant,
  seconds: number,
) {
  const id = makeRandomText(ID_LENGTH)
  const iat = Math.floor(Date.now() / 1000)
  const [exp, refreshExp] = [iat + seconds, iat + REFRESH_SECONDS]
  await storePair(db, { id, user, api_key: apiKey, secret, scopes: [...scopes] }, exp, refreshExp)
  const about = { sub: user, iss: 'pocketsms', iat, user_id: user }
  const key = await readTokenSecret(db)
  const sign = (claims: JWTPayload) =>
    new SignJWT({ ...about, ...claims })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .sign(key)
  const access = await sign({ jti: id, exp, scopes })
  const refresh = await sign({
    jti: id + REFRESH_SUFFIX,
    exp: refreshExp,
    scopes: [REFRESH_SCOPE],
  })
  const end = new Date(exp * 1000).toISOString()
  c.header('cache-control', 'no-store')
  return {
    id,
    token_type: 'Bearer',
    access_token: access,
    refresh_token: refresh,
    expires_at: end,
    tokenType: 'Bearer',
    accessToken: access,
    refreshToken: refresh,
    expiresAt: end,
  }
}

/** A valid access or refresh token, with the id of its pair and the API key that issued it. */
export interface LiveToken extends Grant {
  readonly pair: string
  /** When it ends, as a stored date. */
  readonly until: string
}

export function parseTokenId(jti: string): { readonly pair: string; readonly isRefresh: boolean } {
  const isRefresh = jti.endsWith(REFRESH_SUFFIX)
  return { pair: isRefresh ? jti.slice(0, -REFRESH_SUFFIX.length) : jti, isRefresh }
}

/** The token with this `jti`; null if it has expired, was revoked, or is a refresh token that was used. */
export async function findToken({ db }: Store, jti: string): Promise<LiveToken | null> {
  const { pair, isRefresh } = parseTokenId(jti)
  const found = await queries(db)
    .selectFrom('smsgate_tokens')
    .select(['user', 'api_key as apiKey', 'secret', 'scopes'])
    .select(sql<boolean>`access_until > now()`.as('isAccessLive'))
    .select(sql<boolean>`refresh_until > now() and not is_refreshed`.as('isRefreshLive'))
    .select(
      sql<string>`pb_text(${sql.ref(isRefresh ? 'refresh_until' : 'access_until')})`.as('until'),
    )
    .where('id', '=', pair)
    .executeTakeFirst()
  if (!(isRefresh ? found?.isRefreshLive : found?.isAccessLive)) return null
  const { user, apiKey, secret, scopes, until } = found!
  return { pair, until, user, apiKey, secret, scopes: isRefresh ? [REFRESH_SCOPE] : scopes }
}

export const deleteOldTokens = ({ db }: Store) =>
  queries(db).deleteFrom('smsgate_tokens').where('refresh_until', '<=', sql<Date>`now()`).execute()
