import { z } from 'zod'
import { BACKUP_NAME, MAX_BACKUP_NAME } from '../../engine/backup/backup-names.ts'
import { STATUS } from '../../engine/backup/status.ts'
import { chapter, SERVER } from '../openapi/operations.ts'
import { FIELDS_ONLY } from '../openapi/record-parameters.ts'
import { NOBODY, SIGNED_IN } from '../openapi/security.ts'
import { FILE, json } from '../openapi/success-answers.ts'

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
        'For superusers. The answer precedes the restore. While the data is replaced, the API answers every request with 503. Then everything is as in the backup, including sessions. A failed restore changes nothing: `lastFailure` of the status has the reason.',
      answer: ['It will be restored.'],
      fails: [400, 401],
    },
  })
