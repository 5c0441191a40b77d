import { sql } from 'kysely'
import { z } from 'zod'
import type { AuthRecord } from '../../engine/request/request.ts'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { ROLES } from './members.ts'

export const SENDER_NAME = z.string().describe("The name, or the email's part before the @.")

export const ME = z
  .object({
    account: z.object({ id: z.string(), name: SENDER_NAME }),
    sender: z.string().describe('Id of the record of `senders`; empty for superusers and devices.'),
    role: z
      .enum([...ROLES, 'owner', 'none', 'unprotected'])
      .describe(
        '`owner`: the account itself is signed in. `none`: a member without an account. `unprotected`: the owner, who must set up a second factor first.',
      ),
    name: SENDER_NAME.describe('The name of the person.'),
  })
  .meta({ id: 'Me' })

export const findSenderNames = (db: Db, ids: readonly string[]) =>
  queries(db, 'lookUp')
    .selectFrom('senders')
    .select(['id', 'name'])
    .where('id', '=', matchAny(ids))
    .execute()

export async function loadOwnAccount(db: Db, auth: AuthRecord): Promise<z.output<typeof ME>> {
  const { id, actor, values } = auth
  const found = await findSenderNames(db, [id, actor?.id ?? id])
  const names = new Map(found.map((sender) => [sender.id, sender.name]))
  const called = await evaluateSql(db, sql<string>`account_name(${id})`, 'lookUp')
  const own = names.get(id) ?? String(values.name || values.email || '')
  const account = { id, name: called || own }
  const sender = actor?.id ?? (names.has(id) ? id : '')
  return { account, sender, role: auth.limits ?? 'owner', name: names.get(sender) ?? own }
}
