import type { Db } from '../../db/open.ts'
import { run, statement, text } from '../../db/statements/statement.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { AuditEntry } from '../superusers/audit.ts'

/** Collections whose changes by members are recorded in the account's audit log. */
export const AUDITED: ReadonlySet<string> = new Set([
  'devices',
  'lines',
  'api_keys',
  'webhooks',
  'hooks',
  'members',
  'member_invitations',
])

const NOTE = statement('audit action of member', {})`
insert into account_audit (id, "user", sender, action, collection, record, fields, created)
values (pb_new_id(), ${text('user')}, ${text('sender')}, ${text('action')}, ${text('collection')}, ${text('record')},
  ${text('fields')}, pb_text(now()))`

/** Records what a member did, in the transaction of `db`. */
export async function recordMemberAudit(
  db: Db,
  auth: AuthRecord,
  { action, collection = '', record = '', fields = [] }: AuditEntry,
): Promise<void> {
  const values = { user: auth.id, sender: auth.sender, action, collection, record }
  await run(db, NOTE, { ...values, fields: JSON.stringify(fields) })
}
