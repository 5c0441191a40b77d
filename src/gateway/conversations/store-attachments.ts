import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { FileOwner } from '../../engine/files/storage-limit.ts'
import { storeFile } from '../../engine/files/stored-files.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { type Attachment, MESSAGE_COLLECTION } from '../base/message-files.ts'
import { writeDaysAgo, writePeriodsSql } from '../base/retention-periods.ts'

/** Whether messages have the file field `attachments`. A superuser may have removed it. */
export const keepsAttachments = ({ catalog }: Store): boolean =>
  catalog
    .find(MESSAGE_COLLECTION)
    ?.fields.some(({ name, type }) => name === 'attachments' && type === 'file') === true

/**
 * Adds the names of files to a message without files, unless its text was removed, or it is older than the
 * account keeps files. False if so.
 */
async function nameFiles(
  db: Db,
  id: string,
  names: readonly string[],
  user: string,
): Promise<boolean> {
  const kept = sql`(select ${writeDaysAgo(sql`p.files`)} from ${writePeriodsSql(user, 0)} p)`
  const named = await queries(db)
    .updateTable('sms_messages')
    .set({ attachments: [...names], updated: NOW })
    .where('id', '=', id)
    .where(sql<boolean>`attachments = '{}' and body <> '' and coalesce(created >= ${kept}, true)`)
    .returning('id')
    .execute()
  return named.length > 0
}

/** Stores a message's files in the caller's transaction, unless the message has some. Throws FilesFull. */
export async function storeAttachments(
  store: Store,
  id: string,
  attachments: readonly Attachment[],
  isNew: boolean,
  owner: FileOwner,
) {
  if (attachments.length === 0) return
  if (!isNew) {
    const names = attachments.map(({ name }) => name)
    if (!(await nameFiles(store.db, id, names, owner.id))) return
  }
  for (const { name, type, content } of attachments)
    await storeFile(
      store.db,
      { collection: MESSAGE_COLLECTION, record: id, name },
      { type, owner },
      content,
    )
}
