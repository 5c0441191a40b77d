import { z } from 'zod'
import type { Db } from '../../db/open.ts'
import type { AuthRecord, Role } from '../../request/request.ts'

export const ROLES = ['admin', 'agent', 'viewer'] as const satisfies readonly Role[]
const ROLE = z.enum(ROLES)
const NAME = z.string().describe("The name, or the email's part before the @.")

/** The account of a token and who uses it. */
export const ME = z
  .object({
    account: z.object({ id: z.string(), name: NAME }),
    sender: z.string().describe('Id of the record of `senders`; empty for superusers and devices.'),
    role: ROLE.or(z.literal('owner')).describe('`owner`: the account itself is signed in.'),
    name: NAME.describe('The name of the person.'),
  })
  .meta({ id: 'Me' })

const NAMES = 'select id, name from senders where id = $1 or id = $2'

/** Describes the caller. One lookup. */
export async function readMe(db: Db, { id, actor, values }: AuthRecord): Promise<z.output<typeof ME>> {
  const { rows } = await db.lookUp(NAMES, [id, actor?.id ?? id], 'names of senders')
  const names = new Map(rows.map(([sender, name]) => [String(sender), String(name)]))
  const account = { id, name: names.get(id) ?? String(values.name || values.email || '') }
  const sender = actor?.id ?? (names.has(id) ? id : '')
  return { account, sender, role: actor?.role ?? 'owner', name: names.get(sender) ?? account.name }
}

export const ACCOUNT_OF_MEMBER = z
  .object({ id: z.string(), name: NAME, role: ROLE })
  .meta({ id: 'AccountOfMember' })

const MAX_LISTED = 1_000
const ACCOUNTS = `
select m.account, s.name, m.role from members m join senders s on s.id = m.account
where m.member = $1 order by s.name, m.account limit ${MAX_LISTED}`

/** The accounts that a user may act for, by name. */
export async function listAccounts(db: Db, user: string): Promise<z.output<typeof ACCOUNT_OF_MEMBER>[]> {
  const { rows } = await db.query(ACCOUNTS, [user])
  return rows.map(([id, name, role]) => ({ id: String(id), name: String(name), role: role as Role }))
}
