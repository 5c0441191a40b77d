import { z } from 'zod'
import { BACKUP_NAME, MAX_BACKUP_NAME } from '../../engine/backup/backup-names.ts'
import { makeBusyError } from '../../engine/backup/backups.ts'
import { loadBackupState } from '../../engine/backup/state.ts'
import { loadBackupStatus, STATUS } from '../../engine/backup/status.ts'
import { requireIdentities, SEALED_ENDING } from '../../engine/backup/unseal-file.ts'
import { makeObjectShape, text } from '../../engine/fields/json-shapes.ts'
import type { AgeIdentity } from '../../platform/age/keys.ts'
import { ApiError, badRequest, UserError } from '../../platform/api-errors.ts'
import { allowEverybody, allowSuperuser } from '../allow-callers.ts'
import { readForm } from '../body/form.ts'
import type { Bound } from '../bounds.ts'
import { makeRoutes } from '../make-routes.ts'
import { auditRequest } from '../middleware/audit-requests.ts'
import { SERVER_TAG } from '../openapi/describe-operations.ts'
import { FIELDS_ONLY } from '../openapi/record-parameters.ts'
import { describeJson, FILE } from '../openapi/success-answers.ts'
import { FORM_BYTES } from '../route-limits.ts'
import { sendJson } from '../send-answer.ts'
import {
  checkBackupName,
  checkUploadedBackup,
  downloadBackup,
  listBackups,
  makeUploadError,
  readUploadedFile,
} from './backup-files.ts'

const BACKUP = z
  .object({
    modified: z.string(),
    key: z.string().describe('The name of the file.'),
    size: z.int().min(0).describe('In bytes.'),
  })
  .meta({ id: 'Backup' })

const NEW_BACKUP = z
  .object({
    name: z
      .string()
      .max(MAX_BACKUP_NAME)
      .regex(BACKUP_NAME)
      .optional()
      .describe('Without one it is named for the time.'),
  })
  .meta({ id: 'BackupRequest' })

const TOKEN = z.object({
  token: z.string().optional().describe('Of `POST /api/files/token`, asked for by a superuser.'),
  download: z.string().optional(),
})

const BACKUP_FORM = makeObjectShape({ name: text })

const RESTORE = z
  .object({
    identity: z
      .string()
      .optional()
      .describe('Of a sealed backup: the text of the key file, or a key `AGE-SECRET-KEY-1…`.'),
  })
  .meta({ id: 'RestoreRequest' })

const RESTORE_FORM = makeObjectShape({ identity: text })

const OF_BACKUP: Bound = { cost: 'the database', by: 'only superusers; one backup at a time' }

/** `/api/backups` for superusers. PocketBase: apis/backup.go. `/api/backup-status` is our own. */
export const BACKUP_ROUTES = makeRoutes(
  SERVER_TAG,
  {
    'GET /api/backup-status': {
      permission: allowSuperuser,
      bound: OF_BACKUP,
      describe: {
        id: 'backupStatus',
        summary: 'Ask how the backups are',
        description:
          'For superusers. The last backup and restore, the running job, and the last failure.',
        params: FIELDS_ONLY,
        answer: ['The state.', STATUS],
      },
      run: ({ store, services: { settings, config } }) =>
        loadBackupStatus(store.db, settings.current, config),
    },
    'GET /api/backups': {
      permission: allowSuperuser,
      bound: OF_BACKUP,
      describe: {
        id: 'listBackups',
        summary: 'List the backups',
        description: 'For superusers. Sorted by name.',
        params: FIELDS_ONLY,
        answer: ['All of them.', z.array(BACKUP)],
        fails: [400, 401],
      },
      run: ({ services }) => listBackups(services.backups),
    },
    'POST /api/backups': {
      permission: allowSuperuser,
      maxBytes: FORM_BYTES,
      bound: OF_BACKUP,
      describe: {
        id: 'createBackup',
        summary: 'Make a backup',
        description:
          'For superusers. The answer follows when the backup is complete. Sending continues meanwhile.',
        requestBody: { content: describeJson(NEW_BACKUP, {}) },
        answer: ['It is made.'],
        fails: [400, 401, 413],
      },
      run: async ({ auth, store, services }, c) => {
        if ((await loadBackupState(store.db)).running) throw makeBusyError()
        const { backups } = services
        const { name } = await readForm(c, BACKUP_FORM, { terse: true })
        await checkBackupName(await backups.storage(), name, backups.makeKey(name))
        await auditRequest(c, auth, { action: 'create backup', record: name })
        await backups.create(name, String(auth.values.email)).catch((error) => {
          throw error instanceof ApiError ? error : badRequest('Failed to create backup.')
        })
      },
    },
    'POST /api/backups/upload': {
      permission: allowSuperuser,
      maxBytes: Number.POSITIVE_INFINITY,
      bound: OF_BACKUP,
      describe: {
        id: 'uploadBackup',
        summary: 'Upload a backup',
        description: 'For superusers. A file that is damaged, or no backup, is refused.',
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: z.object({ file: z.string().meta({ format: 'binary' }) }),
            },
          },
        },
        answer: ['It is stored.'],
        fails: [400, 401],
      },
      run: async ({ auth, services }, c) => {
        const { backups } = services
        const { name, content } = await checkUploadedBackup(
          await backups.storage(),
          await readUploadedFile(c),
        )
        await backups.upload(name, content.pieces(256 << 10)).catch((error) => {
          if (error instanceof UserError) throw makeUploadError(error.message)
          throw error instanceof ApiError ? error : badRequest('Failed to upload backup.')
        })
        await auditRequest(c, auth, { action: 'upload backup', record: name })
      },
    },
    'GET /api/backups/:key': {
      permission: allowEverybody(),
      bound: OF_BACKUP,
      describe: {
        id: 'downloadBackup',
        summary: 'Download a backup',
        description: 'For superusers, identified by the token in the address. Supports ranges.',
        params: { query: TOKEN },
        fails: [400, 404],
        responses: FILE,
      },
      run: ({ services }, c, key) => downloadBackup(c, services, key),
    },
    'DELETE /api/backups/:key': {
      permission: allowSuperuser,
      bound: OF_BACKUP,
      describe: {
        id: 'deleteBackup',
        summary: 'Delete a backup',
        description: 'For superusers.',
        answer: ['It is deleted.'],
        fails: [400, 401],
      },
      run: async ({ auth, store, services }, c, key) => {
        if ((await loadBackupState(store.db)).running?.key === key)
          throw badRequest('The backup is currently being used and cannot be deleted.')
        const storage = await services.backups.storage()
        await storage.delete(key).catch((error) => {
          const reason =
            error.code === 'ENOENT' ? `[key: ${key}] resource not found` : error.message
          throw badRequest(`Invalid or already deleted backup file. Raw error: \n${reason}`)
        })
        await auditRequest(c, auth, { action: 'delete backup', record: key })
      },
    },
    'POST /api/backups/:key/restore': {
      permission: allowSuperuser,
      maxBytes: FORM_BYTES,
      bound: OF_BACKUP,
      describe: {
        id: 'restoreBackup',
        summary: 'Replace everything by a backup',
        description:
          'For superusers. The answer precedes the restore. While the data is replaced, the API answers every request with 503. Then everything is as in the backup, including sessions. A failed restore changes nothing: `lastFailure` of the status has the reason. A sealed backup needs a secret key; the server does not store the key.',
        requestBody: { content: describeJson(RESTORE, {}) },
        answer: ['It will be restored.'],
        fails: [400, 401, 413],
      },
      run: async ({ auth, store, services }, c, key) => {
        const { identity } = await readForm(c, RESTORE_FORM, { terse: true })
        if ((await loadBackupState(store.db)).running) throw makeBusyError()
        const { backups } = services
        const found = await (await backups.storage()).find(key).catch(() => undefined)
        if (!found) throw badRequest('Missing or invalid backup file.')
        const identities = key.endsWith(SEALED_ENDING) ? readRequestIdentities(identity) : []
        await auditRequest(c, auth, { action: 'restore backup', record: key })
        await backups.startRestore(found, { auth, ip: c.env.incoming.ip }, identities)
      },
    },
  },
  sendJson,
)

function readRequestIdentities(text: string): AgeIdentity[] {
  if (text === '') throw badRequest('The backup is sealed: its secret key is missing.')
  try {
    return requireIdentities(text)
  } catch (error) {
    throw badRequest((error as Error).message)
  }
}
