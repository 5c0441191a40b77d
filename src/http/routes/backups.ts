import type { Hono } from 'hono'
import { z } from 'zod'
import { checkAddress } from '../../auth/superuser-addresses.ts'
import { findByToken } from '../../auth/tokens.ts'
import { isBusy, readStatus, STATUS } from '../../backup/backups.ts'
import type { BackupStorage } from '../../backup/folder-storage.ts'
import { BACKUP_NAME, MAX_BACKUP_NAME, readState } from '../../backup/state.ts'
import { checkFields, failedBefore, length, matches, required } from '../../collections/checks.ts'
import { ApiError, badRequest, fieldError, forbidden, notFound, UserError } from '../../errors.ts'
import { formatDate } from '../../fields/date.ts'
import { object, text } from '../../fields/shape.ts'
import type { Upload } from '../../files/upload.ts'
import { FILE, json } from '../../openapi/content.ts'
import { chapter, SERVER } from '../../openapi/operations.ts'
import { FIELDS_ONLY } from '../../openapi/record-parameters.ts'
import { NOBODY, SIGNED_IN } from '../../openapi/security.ts'
import { bodyOf, readForm } from '../body/body.ts'
import { type Ctx, type Env, queryOf, type Services } from '../context.ts'
import { auditRequest, superuserRoutes } from '../middleware/audit.ts'
import { clientIp } from '../server/store-of.ts'
import { sendFile } from './files.ts'

const PIECE_BYTES = 256 << 10

/** `/api/backups` for superusers. PocketBase: apis/backup.go. `/api/backup-status` is our own. */
export function backupRoutes(services: Services): Hono<Env> {
  const { backups, config, settings } = services
  const routes = superuserRoutes(services, {
    'GET /backup-status': ({ store: { db } }) => readStatus(db, settings.current, config),
    'GET /backups': () => listBackups(backups),
    'POST /backups': async ({ auth, store }, c) => {
      if ((await readState(store.db)).running) throw isBusy()
      const { name } = await readForm(c, BACKUP_FORM, { terse: true })
      await checkName(await backups.storage(), name)
      await auditRequest(c, services, auth, { action: 'create backup', record: name })
      await backups.create(name, String(auth.values.email)).catch((error) => {
        throw error instanceof ApiError ? error : badRequest('Failed to create backup.')
      })
    },
    'POST /backups/upload': async ({ auth }, c) => {
      const { name, content } = await checkUploadedBackup(await backups.storage(), await uploadedFile(c))
      await backups.upload(name, content.pieces(PIECE_BYTES)).catch((error) => {
        if (error instanceof UserError) throw noBackup(error.message)
        throw error instanceof ApiError ? error : badRequest('Failed to upload backup.')
      })
      await auditRequest(c, services, auth, { action: 'upload backup', record: name })
    },
    'DELETE /backups/:key': async ({ auth, store }, c, key) => {
      if ((await readState(store.db)).running?.key === key)
        throw badRequest('The backup is currently being used and cannot be deleted.')
      const storage = await backups.storage()
      await storage.delete(key).catch((error) => {
        const reason = error.code === 'ENOENT' ? `[key: ${key}] resource not found` : error.message
        throw badRequest(`Invalid or already deleted backup file. Raw error: \n${reason}`)
      })
      await auditRequest(c, services, auth, { action: 'delete backup', record: key })
    },
    // answers before the restore is done: `/api/backup-status` shows its result
    'POST /backups/:key/restore': async ({ auth, store }, c, key) => {
      if ((await readState(store.db)).running) throw isBusy()
      const found = await (await backups.storage()).find(key).catch(() => undefined)
      if (!found) throw badRequest('Missing or invalid backup file.')
      await auditRequest(c, services, auth, { action: 'restore backup', record: key })
      await backups.startRestore(found, { auth, ip: clientIp(c, services) })
    },
  })
  return routes.get('/backups/:key', (c) => download(c, services, c.req.param('key')))
}

async function listBackups(backups: Services['backups']): Promise<object[]> {
  try {
    const found = await (await backups.storage()).list()
    return found.map(({ key, size, modified }) => ({ modified: formatDate(modified), key, size }))
  } catch (error) {
    throw badRequest(`Failed to retrieve backup items. Raw error: \n${(error as Error).message}`)
  }
}

/** Sends a backup. Browsers send no header for a link, so a token in the URL identifies the caller. */
async function download(c: Ctx, services: Services, key: string): Promise<Response> {
  const auth = await findByToken(services.store.signIn, queryOf(c).token ?? '', 'file')
  if (!auth?.isSuperuser) throw forbidden('Insufficient permissions to access the resource.')
  checkAddress(services, auth, clientIp(c, services))
  const storage = await services.backups.storage()
  const found = await storage.find(key).catch(() => {
    throw badRequest()
  })
  if (!found) throw notFound()
  await auditRequest(c, services, auth, { action: 'download backup', record: key })
  const read = (start: number, end: number) => storage.read(key, start, end)
  return sendFile(c, { ...found, type: 'application/zip', caching: 'no-store', read }, key)
}

const BACKUP = z
  .object({
    modified: z.string(),
    key: z.string().describe('The name of the file.'),
    size: z.int().min(0).describe('In bytes.'),
  })
  .meta({ id: 'Backup' })

const FORM = z
  .object({
    name: z
      .string()
      .max(MAX_BACKUP_NAME)
      .regex(BACKUP_NAME)
      .optional()
      .describe('Without one it is named for the time.'),
  })
  .meta({ id: 'NewBackup' })

const TOKEN = z.object({
  token: z.string().optional().describe('Of `POST /api/files/token`, asked for by a superuser.'),
  download: z.string().optional(),
})

export const backupPaths = () =>
  chapter(SERVER, SIGNED_IN, {
    'GET /api/backup-status': {
      id: 'backupStatus',
      summary: 'Ask how the backups are',
      description: 'For superusers. The last backup and restore, the running job, and the last failure.',
      params: FIELDS_ONLY,
      answer: ['The state.', STATUS],
    },
    'GET /api/backups': {
      id: 'listBackups',
      summary: 'List the backups',
      description: 'For superusers. Sorted by name.',
      params: FIELDS_ONLY,
      answer: ['All of them.', z.array(BACKUP)],
      fails: [400, 401],
    },
    'POST /api/backups': {
      id: 'createBackup',
      summary: 'Make a backup',
      description:
        'For superusers. The answer follows when the backup is complete. Sending continues meanwhile.',
      requestBody: { content: json(FORM, {}) },
      answer: ['It is made.'],
      fails: [400, 401, 413],
    },
    'POST /api/backups/upload': {
      id: 'uploadBackup',
      summary: 'Upload a backup',
      description: 'For superusers. The file is read through: one that is damaged or no backup is refused.',
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': { schema: z.object({ file: z.string().meta({ format: 'binary' }) }) },
        },
      },
      answer: ['It is stored.'],
      fails: [400, 401],
    },
    'GET /api/backups/{key}': {
      id: 'downloadBackup',
      summary: 'Download a backup',
      description: 'For superusers, identified by the token in the address. Supports ranges.',
      security: NOBODY,
      params: { query: TOKEN },
      fails: [400, 404],
      responses: FILE,
    },
    'DELETE /api/backups/{key}': {
      id: 'deleteBackup',
      summary: 'Delete a backup',
      description: 'For superusers.',
      answer: ['It is deleted.'],
      fails: [400, 401],
    },
    'POST /api/backups/{key}/restore': {
      id: 'restoreBackup',
      summary: 'Replace everything by a backup',
      description:
        'For superusers. The answer precedes the restore. While the data is replaced, every request is answered with 503. Then everything is as in the backup, including sessions. A failed restore changes nothing: `lastFailure` of the status has the reason.',
      answer: ['It will be restored.'],
      fails: [400, 401],
    },
  })

const BACKUP_FORM = object({ name: text })

const EXISTS = 'validation_backup_name_exists'
const ZIP = 'application/zip'
const MAX_KEY_BYTES = 255

async function checkName(storage: BackupStorage, name: string): Promise<void> {
  const isTaken = BACKUP_NAME.test(name) && (await exists(storage, name))
  const taken = isTaken ? fieldError(EXISTS, 'The backup file name is invalid or already exists.') : undefined
  checkFields({ name }, { name: [length(1, MAX_BACKUP_NAME), matches(BACKUP_NAME), failedBefore(taken)] })
}

const exists = async (storage: BackupStorage, key: string): Promise<boolean> =>
  (await storage.find(key).catch(() => 'unknown')) !== undefined

async function uploadedFile(c: Ctx): Promise<Upload | undefined> {
  try {
    return (await bodyOf(c, Number.POSITIVE_INFINITY)).files.get('file')?.[0]
  } catch (error) {
    // PocketBase treats an unreadable body as one without a file
    if (error instanceof ApiError && error.status === 400) return undefined
    throw error
  }
}

async function checkUploadedBackup(storage: BackupStorage, file: Upload | undefined) {
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

const isStorable = (name: string) => !/^\.|[\0-\x1f\\]/.test(name) && Buffer.byteLength(name) <= MAX_KEY_BYTES

const noBackup = (sentence: string) =>
  badRequest('An error occurred while validating the submitted data.', {
    file: fieldError('validation_invalid_backup', sentence),
  })
