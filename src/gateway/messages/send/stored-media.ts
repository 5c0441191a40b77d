import { makeUserHolder } from '../../../engine/collections/collection.ts'
import {
  type FilePlace,
  findStoredFiles,
  loadWholeFile,
  type StoredFile,
} from '../../../engine/files/stored-files.ts'
import type { Config } from '../../../platform/config.ts'
import type { Db } from '../../../platform/db/open.ts'
import { admission } from '../../../platform/limits/shared-limits.ts'
import { deriveId } from '../../../platform/tools/random.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import { MESSAGE_COLLECTION, type Media } from '../../base/message-files.ts'
import { cutFileLinks } from './file-links.ts'
import { readWords } from './mms.ts'
import { type GivenFile, prepareMedia } from './prepare-media.ts'

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

/** Files of a record that leave with texts. `orLink`: as in Media. */
export interface RecordFiles extends Omit<FilePlace, 'name'>, Pick<Media, 'subject' | 'orLink'> {
  readonly names: readonly string[]
}

/**
 * Runs `work` with the files of a record: they are prepared as if they were new, since the server's limit may
 * be another now. Throws 409 if a file was deleted, 400 for files that do not fit.
 */
export async function withRecordFiles<T>(
  db: Db,
  user: string,
  { mmsMaxBytes }: Pick<Config, 'mmsMaxBytes'>,
  { names, subject, orLink = false, ...place }: RecordFiles,
  work: (media: Media, stored: readonly StoredFile[]) => Promise<T>,
): Promise<T> {
  const holder = makeUserHolder(user)
  const stored = await findAllFiles(db, place, names)
  const memory = admission.memory.open(holder)
  try {
    await memory.take(stored.reduce((sum, { size }) => sum + size, 0))
    const given: GivenFile[] = []
    for (const file of stored) given.push({ name: file.name, bytes: await loadWholeFile(db, file) })
    const prepared = await prepareMedia(holder, subject, given, mmsMaxBytes)
    const files = prepared.files.map((file, i) => {
      const extension = /\.\w+$/.exec(file.name)?.[0] ?? ''
      return { ...file, name: stored[i]!.name.replace(/(?:\.\w+)?$/, () => extension) }
    })
    return await work({ subject, files, orLink }, stored)
  } finally {
    memory.close()
  }
}

/** Runs `work` with the files and words of a message, to send it again. Throws as `withRecordFiles`. */
export const withStoredMedia = <T>(
  db: Db,
  user: string,
  config: Pick<Config, 'mmsMaxBytes'>,
  { id, body, segments, subject, attachments: names }: StoredMms,
  work: (media: Media, words: string) => Promise<T>,
): Promise<T> => {
  const files = { collection: MESSAGE_COLLECTION, record: id, names, subject, orLink: segments > 0 }
  return withRecordFiles(db, user, config, files, (media, stored) => {
    const copies = media.files.map((file) => ({ ...file, name: nameCopy(id, file.name) }))
    return work({ ...media, files: copies }, readWords(cutFileLinks(id, body), stored))
  })
}

async function findAllFiles(
  db: Db,
  place: Omit<FilePlace, 'name'>,
  names: readonly string[],
): Promise<StoredFile[]> {
  const stored = await findStoredFiles(db, place, names)
  if (stored.length === 0 || stored.length < names.length)
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
