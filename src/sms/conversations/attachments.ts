import type { Store } from '../../collections/catalog.ts'
import { type FileFacts, type FileOwner, storeFile } from '../../files/contents.ts'
import { sniff } from '../../files/sniff.ts'
import { contentOf, isDecodable } from '../../files/thumbnail.ts'
import { type Content, storedName } from '../../files/upload.ts'

const MESSAGES = 'sms_messages'

/** A file of an incoming text. Its content decides the name's extension and the type. */
export interface Attachment extends Pick<FileFacts, 'type'> {
  readonly name: string
  readonly content: Content
}

/** Whether messages have the field for files. An installation may have removed it. */
export const keepsAttachments = ({ catalog }: Store): boolean =>
  catalog.find(MESSAGES)?.fields.some(({ name, type }) => name === 'attachments' && type === 'file') === true

const PICTURES: ReadonlySet<string> = new Set(['.png', '.jpg', '.gif', '.webp'])

/** A received file. A picture that cannot be opened, or is too large to be shown, has no type. */
export async function readAttachment(sentName: string, bytes: Buffer): Promise<Attachment> {
  const { type, extension } = await sniff(bytes)
  const isOpaque = PICTURES.has(extension) && !(await isDecodable(bytes))
  const base = sentName.replace(/\.\w{1,10}$/, '').replaceAll('.', '_')
  return {
    name: storedName(base, isOpaque ? '.bin' : extension),
    type: isOpaque ? 'application/octet-stream' : type,
    content: contentOf(bytes),
  }
}

/** Adds files to a message, unless it was redacted. */
const ADD = `
update sms_messages set attachments = $2, updated = pb_text(now())
where id = $1 and attachments = '{}' and body <> '' returning id`

/** Stores a message's files in its transaction, unless it already has some. Throws FilesFull. */
export async function storeAttachments(
  store: Store,
  id: string,
  attachments: readonly Attachment[],
  isNew: boolean,
  owner: FileOwner,
): Promise<void> {
  if (attachments.length === 0) return
  if (!isNew) {
    const names = attachments.map(({ name }) => name)
    if ((await store.db.query(ADD, [id, names], 'add attachments')).rows.length === 0) return
  }
  for (const { name, type, content } of attachments)
    await storeFile(store.db, { collection: MESSAGES, record: id, name }, { type, owner }, content)
}
