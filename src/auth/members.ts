import { sql } from 'kysely'
import { z } from 'zod'
import type { AuthCollection, Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { anyOf, queries } from '../db/queries.ts'
import { fieldError, invalidFields, notFound } from '../errors.ts'
import type { Extension } from '../records/extension.ts'
import type { AuthRecord, Role } from '../request/request.ts'
import { randomText } from '../tools/random.ts'
import { findActing } from './auth-rows.ts'
import { readClaims, sha256, signToken } from './tokens.ts'

export const ROLES = ['admin', 'agent', 'viewer'] as const satisfies readonly Role[]
export const ROLE = z.enum(ROLES)
const NAME = z.string().describe("The name, or the email's part before the @.")

export const ME = z
  .object({
    account: z.object({ id: z.string(), name: NAME }),
    sender: z.string().describe('Id of the record of `senders`; empty for superusers and devices.'),
    role: z
      .enum([...ROLES, 'owner', 'none'])
      .describe('`owner`: the account itself is signed in. `none`: a member without an account.'),
    name: NAME.describe('The name of the person.'),
  })
  .meta({ id: 'Me' })

export const findNames = (db: Db, ids: readonly string[]) =>
  queries(db, 'lookUp').selectFrom('senders').select(['id', 'name']).where('id', '=', anyOf(ids)).execute()

export async function readMe(db: Db, auth: AuthRecord): Promise<z.output<typeof ME>> {
  const { id, actor, values } = auth
  const found = await findNames(db, [id, actor?.id ?? id])
  const names = new Map(found.map((sender) => [sender.id, sender.name]))
  const account = { id, name: names.get(id) ?? String(values.name || values.email || '') }
  const sender = actor?.id ?? (names.has(id) ? id : '')
  return { account, sender, role: auth.limits ?? 'owner', name: names.get(sender) ?? account.name }
}

export const ACCOUNT_OF_MEMBER = z
  .object({ id: z.string(), name: NAME, role: ROLE })
  .meta({ id: 'AccountOfMember' })

const MAX_LISTED = 1_000
export const listAccounts = (db: Db, member: string): Promise<z.output<typeof ACCOUNT_OF_MEMBER>[]> =>
  queries(db)
    .selectFrom('members as m')
    .innerJoin('senders as s', 's.id', 'm.account')
    .select(['m.account as id', 's.name', 'm.role'])
    .where('m.member', '=', member)
    .orderBy('s.name')
    .orderBy('m.account')
    .limit(sql.lit(MAX_LISTED))
    .execute()

/**
 * Stores a token to act for an account. It joins the session of the member's own token: both end together.
 */
const keepActing = (db: Db, own: string, acting: string) =>
  queries(db)
    .insertInto('auth_session_tokens')
    .columns(['token_hash', 'session', 'expires_at'])
    .expression((from) =>
      from
        .selectFrom('auth_session_tokens')
        .select([sql<string>`${sha256(acting)}::text`.as('token_hash'), 'session', 'expires_at'])
        .where('token_hash', '=', sha256(own)),
    )
    .onConflict((found) => found.doNothing())
    .execute()

/** Makes a token to act for an account, which expires with the member's token `own`. 404 for a non-member. */
export async function actFor(store: Store, member: AuthRecord, own: string, account: string) {
  const collection = member.collection as AuthCollection
  const auth = await findActing(store, collection, account, sha256(own), { member: member.id })
  if (!auth) throw notFound()
  const exp = readClaims(own)?.exp
  const token = await signToken(auth, 'auth', { refreshable: false, ...(exp && { expires: exp }) })
  await keepActing(store.db, own, token)
  return { auth, token }
}

const KEY_LENGTH = 50

const IS_OWNER = fieldError('validation_is_owner', 'The account itself cannot be its member.')

/** Updates cannot change account or member. A new role gets a new key, which ends tokens of the old role. */
export const membersExtension: Extension = {
  grantsAccess: true,
  setByServer: ['tokenKey'],
  async beforeCreate(_store, values) {
    if (values.account === values.member) throw invalidFields({ member: IS_OWNER })
    values.tokenKey = randomText(KEY_LENGTH)
    values.notify ||= 'all'
    return undefined
  },
  async beforeUpdate(_store, values, old) {
    for (const field of ['account', 'member', 'tokenKey']) values[field] = old[field]!
    if (values.role !== old.role) values.tokenKey = randomText(KEY_LENGTH)
    values.notify ||= 'all'
  },
}
