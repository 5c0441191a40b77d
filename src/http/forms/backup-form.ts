import { BACKUP_NAME, MAX_BACKUP_NAME } from '../../backup/service/state.ts'
import type { BackupStorage } from '../../backup/storage/backup-storage.ts'
import { checkFields, failedBefore, length, matches, required } from '../../collections/checks/checks.ts'
import { ApiError, badRequest, fieldError } from '../../errors.ts'
import { object, text } from '../../fields/shape.ts'
import type { Upload } from '../../files/upload.ts'
import type { Ctx } from '../context.ts'
import { bodyOf } from '../request-info.ts'

/** PocketBase: apis/backup_create.go */
export const BACKUP_FORM = object({ name: text })

const EXISTS = 'validation_backup_name_exists'
const ZIP = 'application/zip'
const MAX_KEY_BYTES = 255

/** Throws 400 for a name that no new backup may have; an empty one is fine. */
export async function checkName(storage: BackupStorage, name: string): Promise<void> {
  const isTaken = BACKUP_NAME.test(name) && (await exists(storage, name))
  const taken = isTaken ? fieldError(EXISTS, 'The backup file name is invalid or already exists.') : undefined
  checkFields({ name }, { name: [length(1, MAX_BACKUP_NAME), matches(BACKUP_NAME), failedBefore(taken)] })
}

/** Whether the storage has a backup; true if it does not answer. */
const exists = async (storage: BackupStorage, key: string): Promise<boolean> =>
  (await storage.find(key).catch(() => 'unknown')) !== undefined

/** The file of a form's field `file`; undefined if there is none. A backup may be of any size. */
export async function uploadedFile(c: Ctx): Promise<Upload | undefined> {
  try {
    return (await bodyOf(c, Number.POSITIVE_INFINITY)).files.get('file')?.[0]
  } catch (error) {
    // PocketBase treats an unreadable body as one without a file
    if (error instanceof ApiError && error.status === 400) return undefined
    throw error
  }
}

/** Throws 400 for a file that cannot be stored as a backup. PocketBase: apis/backup_upload.go */
export async function checkUploadedBackup(storage: BackupStorage, file: Upload | undefined) {
  const fault = file && (await faultOf(storage, file))
  checkFields({ file: file?.originalName ?? '' }, { file: [required, failedBefore(fault)] })
  return { name: file!.originalName, content: file!.content }
}

async function faultOf(storage: BackupStorage, { name, originalName, sniffed }: Upload) {
  if (!sniffed.names.includes(ZIP))
    return fieldError('validation_invalid_mime_type', `"${name}" mime type must be one of: ${ZIP}`)
  if (!isStorable(originalName)) return fieldError('validation_match_invalid', 'must be in a valid format')
  if (await exists(storage, originalName))
    return fieldError(EXISTS, 'Backup file with the specified name already exists.')
  return undefined
}

/** Names of temporary files begin with a dot. */
const isStorable = (name: string) => !/^\.|[\0-\x1f\\]/.test(name) && Buffer.byteLength(name) <= MAX_KEY_BYTES

/** 400 with the reason why a file is not a backup. */
export const noBackup = (sentence: string) =>
  badRequest('An error occurred while validating the submitted data.', {
    file: fieldError('validation_invalid_backup', sentence),
  })
