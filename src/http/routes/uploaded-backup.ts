import type { BackupStorage } from '../../engine/backup/folder-storage.ts'
import { SEALED_ENDING } from '../../engine/backup/sealed-backup.ts'
import { checkFields, checkRequired, failWith } from '../../engine/fields/value-checks.ts'
import type { Upload } from '../../engine/files/upload.ts'
import { ApiError, badRequest, makeFieldError } from '../../platform/api-errors.ts'
import { readRequestBody } from '../body/read-body.ts'
import type { Ctx } from '../request-context.ts'

export const EXISTS = 'validation_backup_name_exists'

const ZIP = 'application/zip'

const MAX_KEY_BYTES = 255

export const isBackupStored = async (storage: BackupStorage, key: string): Promise<boolean> =>
  (await storage.find(key).catch(() => 'unknown')) !== undefined

export async function readUploadedFile(c: Ctx): Promise<Upload | undefined> {
  try {
    return (await readRequestBody(c)).files.get('file')?.[0]
  } catch (error) {
    // PocketBase treats an unreadable body as one without a file
    if (error instanceof ApiError && error.status === 400) return undefined
    throw error
  }
}

export async function checkUploadedBackup(storage: BackupStorage, file: Upload | undefined) {
  const fault = file && (await findUploadError(storage, file))
  checkFields({ file: file?.originalName ?? '' }, { file: [checkRequired, failWith(fault)] })
  return { name: file!.originalName, content: file!.content }
}

async function findUploadError(storage: BackupStorage, { name, originalName, sniffed }: Upload) {
  if (!originalName.endsWith(SEALED_ENDING) && !sniffed.names.includes(ZIP))
    return makeFieldError(
      'validation_invalid_mime_type',
      `"${name}" mime type must be one of: ${ZIP}`,
    )
  if (!isStorableName(originalName))
    return makeFieldError('validation_match_invalid', 'must be in a valid format')
  if (await isBackupStored(storage, originalName))
    return makeFieldError(EXISTS, 'Backup file with the specified name already exists.')
  return undefined
}

const isStorableName = (name: string) =>
  !/^\.|[\0-\x1f\\]/.test(name) && Buffer.byteLength(name) <= MAX_KEY_BYTES

export const makeUploadError = (sentence: string) =>
  badRequest('An error occurred while validating the submitted data.', {
    file: makeFieldError('validation_invalid_backup', sentence),
  })
