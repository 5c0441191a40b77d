import { makeUserHolder } from '../../../engine/collections/collection.ts'
import {
  findStoredFiles,
  readWholeFile,
  type StoredFile,
} from '../../../engine/files/stored-files.ts'
import { makeMemoryContent } from '../../../engine/files/upload.ts'
import type { Db } from '../../../platform/db/open.ts'
import { admission } from '../../../platform/limits/shared-limits.ts'
import { deriveId } from '../../../platform/tools/random.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import { type Attachment, MESSAGES, type Media } from '../../base/message-files.ts'
import { cutFileLinks } from './file-links.ts'
import { readWords } from './mms.ts'

/** What a message needs to be sent again. */
export interface StoredMms {
  readonly id: string
  readonly body: string
  readonly segments: number
  readonly subject: string
  readonly attachments: readonly string[]
}

/** Whether a message has, or had, files: an MMS, or a text with links to them. */
export const hasFiles = ({ id, body, segments, attachments }: StoredMms): boolean =>
  segments === 0 || attachments.length > 0 || cutFileLinks(id, body) !== body

/** Runs `work` with the files and words of a message, to send it again. Throws 409 if a file is gone. */
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
    const media = { subject: message.subject, files, orLink: message.segments > 0 }
    return work(media, readWords(cutFileLinks(message.id, message.body), stored))
  })

async function findAllFiles(db: Db, { id, attachments }: StoredMms): Promise<StoredFile[]> {
  const stored = await findStoredFiles(db, { collection: MESSAGES, record: id }, attachments)
  if (stored.length === 0 || stored.length < attachments.length)
    throw gatewayRefusal('not_retriable', 'The files of this message are no longer kept')
  return stored
}

/** Names a copy: an export has files of several messages in one record. Equal for equal arguments. */
function nameCopy(id: string, name: string): string {
  const suffix = deriveId(`${id}/${name}`).slice(0, 10)
  return name.replace(
    /(?:_[a-z0-9]{10})?(\.\w+)?$/,
    (_, extension = '') => `_${suffix}${extension}`,
  )
}
