import { findStoredFiles, readStoredFile } from '../../engine/files/stored-files.ts'
import { MESSAGES } from '../../gateway/base/message-files.ts'
import type { ClaimedMessage } from '../../gateway/messages/queue/claim-messages.ts'
import type { Db } from '../../platform/db/open.ts'

/** A message with its files as the app reads them, if it is an MMS. `data`: base64. */
export type MessageWithFiles = ClaimedMessage & {
  readonly files?: readonly {
    readonly contentType: string
    readonly name: string
    readonly data: string
  }[]
}

/** Files of one answer may have so many bytes; the first MMS may have more. */
const MAX_BYTES = 4 << 20

/**
 * Reads the files of messages. Leaves out an MMS whose files do not fit into the answer any more: the phone
 * gets it by a later one.
 */
export async function readFiles(
  db: Db,
  messages: readonly ClaimedMessage[],
): Promise<MessageWithFiles[]> {
  const read: MessageWithFiles[] = []
  let bytes = 0
  for (const message of messages) {
    const { id, attachments } = message
    if (!attachments) {
      read.push(message)
      continue
    }
    const size = attachments.reduce((sum, file) => sum + file.size, 0)
    if (bytes > 0 && bytes + size > MAX_BYTES) continue
    bytes += size
    const names = attachments.map(({ name }) => name)
    const stored = await findStoredFiles(db, { collection: MESSAGES, record: id }, names)
    const files = []
    for (const file of stored) {
      const pieces: Buffer[] = []
      for await (const piece of readStoredFile(db, file, 0, file.size)) pieces.push(piece)
      const data = Buffer.concat(pieces).toString('base64')
      files.push({ contentType: file.type, name: file.name, data })
    }
    read.push({ ...message, files })
  }
  return read
}
