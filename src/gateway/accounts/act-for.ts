import { sql } from 'kysely'
import { z } from 'zod'
import { requireTokenAddress } from '../../engine/auth/allowed-addresses.ts'
import { findActingMember } from '../../engine/auth/find-auth-record.ts'
import { type SignInSession, selectSessions } from '../../engine/auth/sign-in-sessions.ts'
import { hashSha256, readClaims, signToken } from '../../engine/auth/tokens.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { type AuthCollection, USERS_ID } from '../../engine/collections/collection.ts'
import { FACTOR_REQUIRED } from '../../engine/records/check-rules.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { forbidden, notFound } from '../../platform/api-errors.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAnyFound, queries } from '../../platform/db/queries.ts'
import { SENDER_NAME } from './load-own-account.ts'
import { ROLE } from './members.ts'

export const ACCOUNT_OF_MEMBER = z
  .object({
    id: z.string(),
    name: SENDER_NAME,
    role: ROLE,
    sign_in_by: z
      .string()
      .describe(
        'The OAuth2 provider by which the person must sign in again before acting for the account; else empty.',
      ),
  })
  .meta({ id: 'AccountOfMember' })

const MAX_ACCOUNTS = 1_000

const SIGN_IN_BY =
  sql<string>`case when proof_is_over(m.proven_until) then m.directory else '' end`.as('sign_in_by')
const PROOF_REQUIRED = 'Your directory must confirm this membership: sign in by it again.'

export const listAccountsOfMember = (
  db: Db,
  member: string,
): Promise<z.output<typeof ACCOUNT_OF_MEMBER>[]> =>
  queries(db)
    .selectFrom('members as m')
    .innerJoin('senders as s', 's.id', 'm.account')
    .select(['m.account as id', 'm.role'])
    .select(SIGN_IN_BY)
    .select(sql<string>`coalesce(nullif(account_name(m.account), ''), s.name)`.as('name'))
    .where('m.member', '=', member)
    .orderBy('name')
    .orderBy('m.account')
    .limit(sql.lit(MAX_ACCOUNTS))
    .execute()

/**
 * Stores a token to act for an account. It joins the session of the member's own token: both end together.
 */
const storeActingToken = (db: Db, own: string, acting: string, account: string) =>
  queries(db)
    .insertInto('auth_session_tokens')
    .columns(['token_hash', 'session', 'expires_at', 'account'])
    .expression((from) =>
      from
        .selectFrom('auth_session_tokens')
        .select([
          sql<string>`${hashSha256(acting)}::text`.as('token_hash'),
          'session',
          'expires_at',
          sql<string>`${account}::text`.as('account'),
        ])
        .where('token_hash', '=', hashSha256(own)),
    )
    .onConflict((found) => found.doNothing())
    .execute()

/** The sessions in which members act for an account, latest use first. */
export const listActingSessions = (db: Db, account: string): Promise<SignInSession[]> =>
  selectSessions(db, USERS_ID)
    .innerJoin('members as m', 'm.member', 's.record')
    .innerJoin('senders as n', 'n.id', 'm.id')
    .select([
      sql.lit<'act-for'>('act-for').as('method'),
      'n.name as person',
      sql.lit(false).as('current'),
    ])
    .where('m.account', '=', account)
    .where('s.id', '=', ({ selectFrom }) =>
      matchAnyFound(
        selectFrom('auth_session_tokens').select('session').where('account', '=', account),
      ),
    )
    .execute()

/**
 * It expires with the member's token `own`. Throws 404 for a non-member; 403 without a required second
 * factor, if the member may not act at the address `ip`, or if a directory must prove the membership again.
 */
export async function actForAccount(
  store: Store,
  member: AuthRecord,
  own: string,
  account: string,
  ip: string,
) {
  const collection = member.collection as AuthCollection
  const auth = await findActingMember(store, collection, account, hashSha256(own), {
    member: member.id,
  })
  if (!auth) throw notFound()
  requireTokenAddress(store, auth, ip)
  if (await callFunction(store.db, 'lacks_factor', account, member.id))
    throw forbidden(FACTOR_REQUIRED)
  if (await isProofOver(store.db, account, member.id)) throw forbidden(PROOF_REQUIRED)
  const exp = readClaims(own)?.exp
  const token = await signToken(auth, 'auth', { refreshable: false, ...(exp && { expires: exp }) })
  await storeActingToken(store.db, own, token, account)
  return { auth, token }
}

async function isProofOver(db: Db, account: string, member: string): Promise<boolean> {
  const found = await queries(db)
    .selectFrom('members')
    .select(sql<boolean>`proof_is_over(proven_until)`.as('isOver'))
    .where('account', '=', account)
    .where('member', '=', member)
    .executeTakeFirst()
  return found?.isOver === true
}
