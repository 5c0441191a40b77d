import { z } from 'zod'
import type { AuthCollection, Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { run, statement, type Texts, tables, text } from '../../db/statement.ts'
import { fieldError, invalidFields, notFound } from '../../errors.ts'
import type { Extension } from '../../records/extension.ts'
import type { AuthRecord, Role } from '../../request/request.ts'
import { randomText } from '../../tools/random.ts'
import { findActing } from '../auth-rows.ts'
import { sha256 } from '../tokens/secrets.ts'
import { readClaims, signToken } from '../tokens/tokens.ts'

export const ROLES = ['admin', 'agent', 'viewer'] as const satisfies readonly Role[]
const ROLE = z.enum(ROLES)
const NAME = z.string().describe("The name, or the email's part before the @.")

export const ME = z
  .object({
    account: z.object({ id: z.string(), name: NAME }),
    sender: z.string().describe('Id of the record of `senders`; empty for superusers and devices.'),
    role: z
      .enum([...ROLES, 'owner', 'none'])
      .describe(
        '`owner`: the account itself is signed in. `none`: a member who has no account of their own.',
      ),
    name: NAME.describe('The name of the person.'),
  })
  .meta({ id: 'Me' })

const NAMES = statement('names of senders', ({ id, other }: Texts<'id' | 'other'>) =>
  tables
    .selectFrom('senders')
    .select(['id', 'name'])
    .where(({ or, eb }) => or([eb('id', '=', id), eb('id', '=', other)])),
)

export async function readMe(db: Db, auth: AuthRecord): Promise<z.output<typeof ME>> {
  const { id, actor, values } = auth
  const found = await run(db, NAMES, { id, other: actor?.id ?? id }, 'lookUp')
  const names = new Map(found.map((sender) => [sender.id, sender.name]))
  const account = { id, name: names.get(id) ?? String(values.name || values.email || '') }
  const sender = actor?.id ?? (names.has(id) ? id : '')
  return { account, sender, role: auth.limits ?? 'owner', name: names.get(sender) ?? account.name }
}

export const ACCOUNT_OF_MEMBER = z
  .object({ id: z.string(), name: NAME, role: ROLE })
  .meta({ id: 'AccountOfMember' })

const MAX_LISTED = 1_000
const ACCOUNTS = statement('accounts of a member', ACCOUNT_OF_MEMBER)`
select m.account as id, s.name, m.role from members m join senders s on s.id = m.account
where m.member = ${text('member')} order by s.name, m.account limit ${MAX_LISTED}`

/** The accounts that a user may act for, sorted by name. */
export const listAccounts = (db: Db, member: string) => run(db, ACCOUNTS, { member })

/** Adds an acting token to the session of the member's own token, with which it ends. */
const KEEP = `
insert into auth_session_tokens (token_hash, session, expires_at)
select $2, session, expires_at from auth_session_tokens where token_hash = $1 on conflict do nothing`

/** Makes a token with which a member acts for an account until the member's `own` expires. Throws 404. */
export async function actFor(store: Store, member: AuthRecord, own: string, account: string) {
  const collection = member.collection as AuthCollection
  const auth = await findActing(store, collection, account, sha256(own), { member: member.id })
  if (!auth) throw notFound()
  const exp = readClaims(own)?.exp
  const token = await signToken(auth, 'auth', { refreshable: false, ...(exp && { expires: exp }) })
  await store.db.query(KEEP, [sha256(own), sha256(token)], 'session add acting token')
  return { auth, token }
}

const KEY_LENGTH = 50

/** A membership's account and member cannot change. A new role gets a new key, which ends acting tokens. */
export const membersExtension: Extension = {
  grantsAccess: true,
  setByServer: ['tokenKey'],
  async beforeCreate(_store, values) {
    if (values.account === values.member) throw invalidFields({ member: isOwner() })
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

const isOwner = () => fieldError('validation_is_owner', 'The account itself cannot be its member.')

/** Only `invite` makes invitations, since their secret is shown once. */
export const invitationsExtension: Extension = { grantsAccess: true, setByServer: ['hash'] }
