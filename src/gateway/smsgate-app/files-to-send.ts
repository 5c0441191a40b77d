import { findStoredFiles, loadWholeFile } from '../../engine/files/stored-files.ts'
import type { Db } from '../../platform/db/open.ts'
import { MESSAGE_COLLECTION } from '../base/message-files.ts'
import type { ClaimedMessage } from '../messages/queue/claim-messages.ts'
import { CANNOT_SEND } from '../messages/queue/give-back-mms.ts'
import type { AppRules } from './app-versions.ts'

/** A file as the app reads it. `data`: base64. */
export type AppFile = Readonly<Record<'contentType' | 'name' | 'data', string>>

/** The most bytes of the files of one answer. */
const MAX_BYTES = 4 << 20
/**
 * The files of one MMS: the app keeps them, in base64, in one row, and can read no row of its database that
 * has more than 2 MiB. Android: CursorWindow
 */
const MAX_MMS_BYTES = 1_400_000

type Mms = Pick<ClaimedMessage, 'id' | 'attachments'>

const countBytes = ({ attachments = [] }: Mms) =>
  attachments.reduce((sum, { size }) => sum + size, 0)

/** Why a phone cannot send a message; '' if it can. */
export function refuseMms(message: Mms, { sendsMms }: Pick<AppRules, 'sendsMms'>): string {
  if (!message.attachments) return ''
  if (!sendsMms) return CANNOT_SEND.error_message
  return countBytes(message) > MAX_MMS_BYTES
    ? `The SMSGate app sends MMS with at most ${MAX_MMS_BYTES} bytes`
    : ''
}

/** Reads the files of MMS, by message, in their order, until no more fit into an answer. */
export async function readFiles(
  db: Db,
  messages: readonly Mms[],
): Promise<ReadonlyMap<string, readonly AppFile[]>> {
  const read = new Map<string, readonly AppFile[]>()
  let room = MAX_BYTES
  for (const message of messages) {
    const { id, attachments = [] } = message
    const bytes = countBytes(message)
    if (attachments.length === 0 || bytes > room) continue
    room -= bytes
    const names = attachments.map(({ name }) => name)
    const stored = await findStoredFiles(db, { collection: MESSAGE_COLLECTION, record: id }, names)
    // never without its files, which may have been deleted meanwhile
    if (stored.length < names.length) continue
    const files: AppFile[] = []
    for (const file of stored)
      files.push({
        contentType: file.type,
        name: file.name,
        data: (await loadWholeFile(db, file)).toString('base64'),
      })
    read.set(id, files)
  }
  return read
}
