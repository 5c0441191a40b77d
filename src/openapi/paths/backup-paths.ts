import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { done, failures, fileAnswers, json, success } from '../schemas/answers.ts'
import { chapter } from '../schemas/operations.ts'
import { ONE } from '../schemas/record-query.ts'
import { NOBODY, SIGNED_IN } from '../schemas/security.ts'
import { SERVER } from './server-paths.ts'

const BACKUP = z
  .object({
    modified: z.string(),
    key: z.string().describe('The name of the file.'),
    size: z.int().min(0).describe('In bytes.'),
  })
  .meta({ id: 'Backup' })

const EXAMPLE = {
  modified: '2026-11-21 10:56:43.796Z',
  key: 'pb_backup_pocketsms_20261121105643.zip',
  size: 227_125,
}

const JOB = z.object({
  action: z.enum(['backup', 'restore']),
  key: z.string(),
  by: z.string().describe('An email address, or `schedule`.'),
})

const DONE = JOB.extend({ at: z.string(), size: z.int().min(0) })

const STATUS = z
  .object({
    running: JOB.extend({
      node: z.string().describe('The server that does it.'),
      started: z.string(),
      step: z.string(),
      done: z.number(),
      total: z.number(),
      exclusive: z.boolean().describe('True while a restore replaces the data.'),
    }).nullable(),
    lastBackup: DONE.nullable(),
    lastRestore: DONE.nullable(),
    lastFailure: JOB.extend({ at: z.string(), message: z.string() })
      .nullable()
      .describe('Null once a backup or restore has succeeded after it.'),
    overdue: z.boolean().describe('True when the last backup is older than `BACKUP_WARNING_DAYS`.'),
    next: z.string().describe('When the schedule makes the next one; empty without a schedule.'),
  })
  .meta({ id: 'BackupStatus' })

const FORM = z
  .object({
    name: z
      .string()
      .max(150)
      .regex(/^[a-z0-9_-]+\.zip$/)
      .optional()
      .describe('Without one it is named for the time.'),
  })
  .meta({ id: 'NewBackup' })

const UPLOAD = z.object({ file: z.string().meta({ format: 'binary' }) })

const KEY = z.object({ key: z.string().describe('The `key` of a listed backup.') })
const TOKEN = z.object({
  token: z.string().optional().describe('Of `POST /api/files/token`, asked for by a superuser.'),
  download: z.string().optional(),
})

const fields = ONE.query.pick({ fields: true })

/** Backups of the whole installation, for superusers. */
export const backupPaths = (): ZodOpenApiPathsObject =>
  chapter(SERVER, SIGNED_IN, {
    'GET /api/backup-status': {
      id: 'backupStatus',
      summary: 'Ask how the backups are',
      description: 'For superusers. What was made last, what runs now, what went wrong.',
      params: { query: fields },
      responses: [success('The state.', STATUS), failures(401)],
    },
    'GET /api/backups': {
      id: 'listBackups',
      summary: 'List the backups',
      description: 'For superusers. Sorted by name.',
      params: { query: fields },
      responses: [success('All of them.', z.array(BACKUP), [EXAMPLE]), failures(400, 401)],
    },
    'POST /api/backups': {
      id: 'createBackup',
      summary: 'Make a backup',
      description: 'For superusers. It answers when the backup is made. Sending goes on meanwhile.',
      requestBody: { content: json(FORM, {}) },
      responses: [done('It is made.'), failures(400, 401, 413)],
    },
    'POST /api/backups/upload': {
      id: 'uploadBackup',
      summary: 'Upload a backup',
      description: 'For superusers. The file is read through: one that is damaged or no backup is refused.',
      requestBody: { required: true, content: { 'multipart/form-data': { schema: UPLOAD } } },
      responses: [done('It is stored.'), failures(400, 401)],
    },
    'GET /api/backups/{key}': {
      id: 'downloadBackup',
      summary: 'Download a backup',
      description: 'For superusers, whom the token in the address tells. Ranges work.',
      security: NOBODY,
      params: { path: KEY, query: TOKEN },
      responses: fileAnswers(),
    },
    'DELETE /api/backups/{key}': {
      id: 'deleteBackup',
      summary: 'Delete a backup',
      description: 'For superusers.',
      params: { path: KEY },
      responses: [done('It is deleted.'), failures(400, 401)],
    },
    'POST /api/backups/{key}/restore': {
      id: 'restoreBackup',
      summary: 'Replace everything by a backup',
      description:
        'For superusers. It answers before it begins. While the data is replaced, every request is answered with 503; then all is as it was when the backup was made, sessions included. If it fails, nothing has changed: `lastFailure` of the status says why.',
      params: { path: KEY },
      responses: [done('It will be restored.'), failures(400, 401)],
    },
  })
