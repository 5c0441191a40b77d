import type { Db } from '../../db/open.ts'
import { type AuthRecord, senderIdOf } from '../../request/request.ts'
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

const NOTE = `
insert into account_audit (id, "user", sender, action, collection, record, fields, created)
values (pb_new_id(), $1, $2, $3, $4, $5, $6, pb_text(now()))`

/** Records what a member did, in the transaction of `db`. */
export async function recordMemberAudit(
  db: Db,
  auth: AuthRecord,
  { action, collection = '', record = '', fields = [] }: AuditEntry,
): Promise<void> {
  const values = [auth.id, senderIdOf(auth), action, collection, record, JSON.stringify(fields)]
  await db.query(NOTE, values, 'note deed of member')
}
