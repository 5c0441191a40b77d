import { makeLinkToken } from '../../engine/files/link-token.ts'
import { isDecodable } from '../../engine/files/make-thumbnail.ts'
import { sniffContentType } from '../../engine/files/sniff-content-type.ts'
import {
  type FileFacts,
  findStoredFiles,
  type StoredFile,
} from '../../engine/files/stored-files.ts'
import { makeStoredName } from '../../engine/files/stored-name.ts'
import { type FileContent, makeMemoryContent } from '../../engine/files/upload.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'

export const MESSAGE_COLLECTION = 'sms_messages'
/** Collections whose records have files that leave with texts, in the field `attachments`. */
export const WITH_FILES = [
  MESSAGE_COLLECTION,
  'campaigns',
  'auto_answers',
  'sms_templates',
] as const

/** A file of a message. The content determines `type` and the extension of `name`. */
export interface Attachment extends Pick<FileFacts, 'type'> {
  readonly name: string
  readonly content: FileContent
}

/** A file by hashes of its address and of its bytes; '' for what is not known. */
export type FileMark = readonly [address: string, bytes: string]

/** The files of a request. `subject`: a hash; '' for none. */
export interface GivenFiles {
  readonly subject: string
  readonly files: readonly FileMark[]
}

/** The files and the subject of a send. It leaves as an MMS. */
export interface Media {
  /** At most 40 characters; '' for none. */
  readonly subject: string
  readonly files: readonly Attachment[]
  /** Without a line for MMS, it leaves as a text with a link to each file. */
  readonly orLink?: boolean
  /** The files of the request, before pictures were prepared. */
  readonly given?: GivenFiles
}

const PICTURES: ReadonlySet<string> = new Set(['.png', '.jpg', '.gif', '.webp'])

/** Makes an attachment of a file. A picture that cannot be decoded becomes a `.bin` file. */
export async function readAttachment(givenName: string, bytes: Buffer): Promise<Attachment> {
  const { type, extension } = await sniffContentType(bytes)
  const isOpaque = PICTURES.has(extension) && !(await isDecodable(bytes))
  const base = givenName.replace(/\.\w{1,10}$/, '').replaceAll('.', '_')
  return {
    name: makeStoredName(base, isOpaque ? '.bin' : extension),
    type: isOpaque ? 'application/octet-stream' : type,
    content: makeMemoryContent(bytes),
  }
}

export type LinkedFile = Pick<StoredFile, 'name' | 'type' | 'size'> & { readonly url: string }

/** The stored files of a message, with links that need no other token until `until` (seconds since 1970). */
export async function linkFiles(
  db: Db,
  id: string,
  names: readonly string[],
  until: number,
  publicUrl: string,
): Promise<LinkedFile[]> {
  const record = { collection: MESSAGE_COLLECTION, record: id }
  const linked: LinkedFile[] = []
  for (const { name, type, size } of await findStoredFiles(db, record, names)) {
    const token = await makeLinkToken(db, { ...record, name }, until)
    const path = `/api/files/${MESSAGE_COLLECTION}/${id}/${encodeURIComponent(name)}`
    linked.push({ name, type, size, url: `${publicUrl}${path}?token=${token}` })
  }
  return linked
}

/** Name, size and type of the files of messages, by `ID/NAME`. */
export async function findFilesOfTexts(db: Db, ids: readonly string[]) {
  const found = queries(db)
    .selectFrom('_files')
    .select(['record', 'name', 'size', 'type'])
    .where('collection', '=', MESSAGE_COLLECTION)
    .where('record', '=', matchAny(ids))
    .where('thumb', '=', '')
  const files = ids.length > 0 ? await found.execute() : []
  return new Map(files.map((file) => [`${file.record}/${file.name}`, file]))
}
