import { checkAddress } from '../../engine/auth/superuser-addresses.ts'
import { requireSuperuserFactor } from '../../engine/auth/superuser-factor.ts'
import { findRecordByToken } from '../../engine/auth/tokens.ts'
import { BACKUP_NAME, MAX_BACKUP_NAME } from '../../engine/backup/backup-names.ts'
import type { BackupStorage } from '../../engine/backup/folder-storage.ts'
import { SEALED_ENDING } from '../../engine/backup/unseal-file.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import {
  checkFields,
  checkLength,
  checkPattern,
  checkRequired,
  failWith,
} from '../../engine/fields/value-checks.ts'
import type { Upload } from '../../engine/files/upload.ts'
import {
  ApiError,
  badRequest,
  forbidden,
  makeFieldError,
  notFound,
} from '../../platform/api-errors.ts'
import { readRequestBody } from '../body/read-body.ts'
import { auditRequest } from '../middleware/audit-requests.ts'
import type { Ctx, Services } from '../request-context.ts'
import { sendFile } from './send-file.ts'

// The files of backups in their storage, as routes list, send and add them.

const EXISTS = 'validation_backup_name_exists'

const ZIP = 'application/zip'

const MAX_KEY_BYTES = 255

/** All backups. Throws 400 with the reason if the storage cannot be read. */
export async function listBackups(backups: Services['backups']): Promise<object[]> {
  try {
    const found = await (await backups.storage()).list()
    return found.map(({ key, size, modified }) => ({ modified: formatDate(modified), key, size }))
  } catch (error) {
    throw badRequest(`Failed to retrieve backup items. Raw error: \n${(error as Error).message}`)
  }
}

/** Sends a backup. Browsers send no header for a link, so a token in the URL identifies the caller. */
export async function downloadBackup(c: Ctx, services: Services, key: string): Promise<Response> {
  const auth = await findRecordByToken(
    services.store.signIn,
    c.env.incoming.query.token ?? '',
    'file',
  )
  if (!auth?.isSuperuser) throw forbidden('Insufficient permissions to access the resource.')
  checkAddress(services, auth, c.env.incoming.ip)
  await requireSuperuserFactor(services, auth, c.req.path)
  const storage = await services.backups.storage()
  const found = await storage.find(key).catch(() => {
    throw badRequest()
  })
  if (!found) throw notFound()
  await auditRequest(c, auth, { action: 'download backup', record: key })
  const read = (start: number, end: number) => storage.read(key, start, end)
  const type = key.endsWith(SEALED_ENDING) ? 'application/octet-stream' : 'application/zip'
  return sendFile(c, { ...found, type, caching: 'no-store', read }, key)
}

const isBackupStored = async (storage: BackupStorage, key: string): Promise<boolean> =>
  (await storage.find(key).catch(() => 'unknown')) !== undefined

/** Throws 400 if a new backup may not have this name, or another has it. `key`: the name of its file. */
export async function checkBackupName(
  storage: BackupStorage,
  name: string,
  key: string,
): Promise<void> {
  const isTaken = BACKUP_NAME.test(name) && (await isBackupStored(storage, key))
  const taken = isTaken
    ? makeFieldError(EXISTS, 'The backup file name is invalid or already exists.')
    : undefined
  checkFields(
    { name },
    {
      name: [checkLength(1, MAX_BACKUP_NAME), checkPattern(BACKUP_NAME), failWith(taken)],
    },
  )
}

/** The file of an upload; undefined without one. */
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
