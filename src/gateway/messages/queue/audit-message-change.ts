import { sql } from 'kysely'
import type { WriteOptions } from '../../../engine/records/write-in-progress.ts'
import type { Db } from '../../../platform/db/open.ts'
import { NOW, queries } from '../../../platform/db/queries.ts'
import type { Permit } from '../../base/permissions.ts'

/** Who acts for which account. */
interface AuditedAct {
  readonly sender: Pick<Permit['sender'], 'user' | 'sentBy'>
}

/** Records an act in the account's audit log. The record of a batch is its id. */
export async function auditAct(
  db: Db,
  { sender: { user, sentBy: by } }: AuditedAct,
  collection: string,
  action: string,
  record: string,
  fields: readonly string[] = [],
): Promise<void> {
  await queries(db)
    .insertInto('account_audit')
    .values({
      user,
      sender: by,
      action,
      collection,
      record,
      fields: JSON.stringify(fields),
      id: sql`pb_new_id()`,
      created: NOW,
    })
    .execute()
}

/** Options of a write of a record that note it in the account's audit log, in the same transaction. */
export const noteAct = (
  sender: AuditedAct['sender'],
  collection: string,
  action: 'create' | 'update' | 'delete',
  fields: readonly string[] = [],
): Pick<WriteOptions, 'inSameTransaction'> => ({
  inSameTransaction: ({ db }, id) => auditAct(db, { sender }, collection, action, id, fields),
})

/** Texts that were changed. `record`: the id of their message or batch. `authors`: their senders. */
interface Changed {
  readonly action: string
  readonly record: string
  readonly authors: readonly string[]
  readonly fields?: readonly string[]
}

/**
 * Records that the owner, a member or an API key has changed texts of other senders, in the transaction of
 * `db`. Changes of the sender's own texts are only in the texts' events.
 */
export async function auditChange(db: Db, permit: Permit, change: Changed): Promise<void> {
  const { action, record, authors, fields } = change
  if (authors.some((author) => author !== permit.sender.sentBy))
    await auditAct(db, permit, 'sms_messages', action, record, fields)
}
