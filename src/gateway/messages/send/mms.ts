import { sql } from 'kysely'
import { makeUserHolder } from '../../../engine/collections/collection.ts'
import {
  findStoredFiles,
  readWholeFile,
  type StoredFile,
  storeFile,
} from '../../../engine/files/stored-files.ts'
import { makeMemoryContent } from '../../../engine/files/upload.ts'
import type { Config } from '../../../platform/config.ts'
import type { Db } from '../../../platform/db/open.ts'
import { matchAny, queries } from '../../../platform/db/queries.ts'
import { admission } from '../../../platform/limits/shared-limits.ts'
import { deriveId } from '../../../platform/tools/random.ts'
import { writeMmsText } from '../../../portable/attachment-lines.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import { type Attachment, MESSAGES, type Media } from '../../base/message-files.ts'
import type { Offer } from './offer.ts'

/** Whether an account has a line for MMS. Whether it may send a certain one is judged with the send. */
export async function hasMmsLine(db: Db, user: string): Promise<boolean> {
  const line = await queries(db)
    .selectFrom('lines')
    .select('id')
    .where('user', '=', user)
    .where('mms', '=', 'on')
    .where('enabled', '=', true)
    .limit(sql.lit(1))
    .executeTakeFirst()
  return line !== undefined
}

/** Maximum files of a message: the field `attachments` takes no more. */
export const MAX_FILES = 10
/** Maximum bytes of the files of a send, for all its recipients: each message stores its own. */
const MAX_SEND_BYTES = 32 << 20

/** Throws 400 `too_many_recipients` for more bytes than a send may store. */
export function checkMediaSize({ files }: Media, recipients: number): void {
  const bytes = files.reduce((sum, { content }) => sum + content.size, 0)
  if (bytes * recipients <= MAX_SEND_BYTES) return
  const most = Math.floor(MAX_SEND_BYTES / bytes)
  const message = `Files of ${bytes} bytes can go to ${most} recipients per request`
  throw gatewayRefusal('too_many_recipients', message)
}

/** The text of an MMS that is stored: without words, a line for each file, as of received ones. */
export const writeStoredText = (words: string, files: Media['files']): string =>
  writeMmsText(words === '' ? [] : [words], files.map(describeAttachment), [])

const describeAttachment = ({ name, type, content: { size } }: Attachment) => ({
  name,
  contentType: type,
  size,
})

/** The words of a stored MMS: '' if its text only names its files. */
export function readWords(
  text: string,
  files: readonly Pick<StoredFile, 'name' | 'type' | 'size'>[],
): string {
  const described = files.map(({ name, type, size }) => ({ name, contentType: type, size }))
  return text === writeMmsText([], described, []) ? '' : text
}

/** What a message needs to be sent again. */
export interface StoredMms {
  readonly id: string
  readonly body: string
  readonly segments: number
  readonly subject: string
  readonly attachments: readonly string[]
}

export const isMms = ({ segments }: Pick<StoredMms, 'segments'>): boolean => segments === 0

/** Runs `work` with the files of a stored MMS, to send it again. Throws 409 if one of them is gone. */
export const withStoredMedia = <T>(
  db: Db,
  user: string,
  message: StoredMms,
  work: (media: Media, words: string) => Promise<T>,
): Promise<T> =>
  // the files are in memory: a place of its own bounds how many
  admission.heavyWork.run(makeUserHolder(user), async () => {
    const stored = await findAllFiles(db, message)
    const files: Attachment[] = []
    for (const file of stored) {
      const content = makeMemoryContent(await readWholeFile(db, file))
      files.push({ name: nameCopy(message.id, file.name), type: file.type, content })
    }
    return work({ subject: message.subject, files }, readWords(message.body, stored))
  })

async function findAllFiles(db: Db, { id, attachments }: StoredMms): Promise<StoredFile[]> {
  const stored = await findStoredFiles(db, { collection: MESSAGES, record: id }, attachments)
  if (stored.length === 0 || stored.length < attachments.length)
    throw gatewayRefusal('not_retriable', 'The files of this message are no longer kept')
  return stored
}

/** Names a copy: an export has files of several messages in one record. Equal for equal arguments. */
const nameCopy = (id: string, name: string): string =>
  name.replace(/(?:_[a-z0-9]{10})?(\.\w+)?$/, `_${deriveId(`${id}/${name}`).slice(0, 10)}$1`)

/** Stores the files of an offer's messages in the caller's transaction. Throws FilesFull. */
export async function storeOfferedFiles(
  db: Db,
  { maxAccountFileBytes: maxBytes }: Pick<Config, 'maxAccountFileBytes'>,
  { permit, media, messages }: Offer,
): Promise<void> {
  const owner = { id: permit.sender.user, maxBytes }
  for (const { id: record } of messages)
    for (const { name, type, content } of media?.files ?? [])
      await storeFile(db, { collection: MESSAGES, record, name }, { type, owner }, content)
}

/** Deletes the files of an offer that was not accepted. */
export const dropOfferedFiles = (db: Db, { messages }: Offer) =>
  queries(db)
    .deleteFrom('_files')
    .where('collection', '=', sql.lit(MESSAGES))
    .where('record', '=', matchAny(messages.map(({ id }) => id)))
    .execute()
