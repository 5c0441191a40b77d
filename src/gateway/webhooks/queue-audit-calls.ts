import { sql } from 'kysely'
import { SUPERUSERS_LOG } from '../../engine/auth/audit/audit-entries.ts'
import type { NumberedEntry } from '../../engine/auth/audit/publish-audit-entries.ts'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'

/** The event of an entry of the account's audit log. */
export const AUDIT_EVENT = 'audit.recorded'

function makeEventEntry(entry: NumberedEntry) {
  const { id, account: user, created, by: sender, action, collection, record, ip, number } = entry
  const fields: unknown = JSON.parse(entry.fields)
  return { id, user, created, sender, action, collection, record, fields, ip, number }
}

/** Queues the calls of webhooks that ask for entries of their own account, in the transaction of `db`. */
export async function queueAuditCalls(db: Db, entries: readonly NumberedEntry[]): Promise<void> {
  const ofAccounts = entries.filter(({ account }) => account !== SUPERUSERS_LOG)
  if (ofAccounts.length === 0) return
  const given = ofAccounts.map((entry) => ({
    id: entry.id,
    user: entry.account,
    image: { audit: makeEventEntry(entry) },
  }))
  await evaluateSql(
    db,
    sql`webhook_queue(array(
      select row(pb_new_id(), w.id, w."user", e.id, ${AUDIT_EVENT}::text, null, e.image, null)::webhook_call
      from json_to_recordset(${JSON.stringify(given)}::json) e(id text, "user" text, image json)
      join webhooks w on w."user" = e."user" and w.enabled and w.format = '' and ${AUDIT_EVENT}::text = any(w.events)))`,
  )
}
