import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { isDecodable } from '../../engine/files/make-thumbnail.ts'
import { sniffContentType } from '../../engine/files/sniff-content-type.ts'
import type { FileOwner } from '../../engine/files/storage-limit.ts'
import { type FileFacts, storeFile } from '../../engine/files/stored-files.ts'
import { makeStoredName } from '../../engine/files/stored-name.ts'
import { type Content, makeMemoryContent } from '../../engine/files/upload.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { writeDaysAgo, writePeriodsSql } from '../base/retention-periods.ts'

const MESSAGES = 'sms_messages'

/** A file of an incoming text. The content determines `type` and the extension of `name`. */
export interface Attachment extends Pick<FileFacts, 'type'> {
  readonly name: string
  readonly content: Content
}

/** Whether messages have the file field `attachments`. A superuser may have removed it. */
export const keepsAttachments = ({ catalog }: Store): boolean =>
  catalog
    .find(MESSAGES)
    ?.fields.some(({ name, type }) => name === 'attachments' && type === 'file') === true

const PICTURES: ReadonlySet<string> = new Set(['.png', '.jpg', '.gif', '.webp'])

/** Makes an attachment of a received file. A picture that cannot be decoded becomes a `.bin` file. */
export async function readAttachment(sentName: string, bytes: Buffer): Promise<Attachment> {
  const { type, extension } = await sniffContentType(bytes)
  const isOpaque = PICTURES.has(extension) && !(await isDecodable(bytes))
  const base = sentName.replace(/\.\w{1,10}$/, '').replaceAll('.', '_')
  return {
    name: makeStoredName(base, isOpaque ? '.bin' : extension),
    type: isOpaque ? 'application/octet-stream' : type,
    content: makeMemoryContent(bytes),
  }
}

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
    await storeFile(store.db, { collection: MESSAGES, record: id, name }, { type, owner }, content)
}
