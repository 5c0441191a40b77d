import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { answers, done, failures, fileAnswers, json, success } from '../schemas/answers.ts'
import { ONE } from '../schemas/record-query.ts'
import { NOBODY, SIGNED_IN } from '../schemas/security.ts'
import { SERVER } from './server-paths.ts'

const BACKUP = z
  .object({
    modified: z.string(),
    key: z.string().meta({ description: 'The name of the file.' }),
    size: z.int().min(0).meta({ description: 'In bytes.' }),
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
  by: z.string().meta({ description: 'An email address, or `schedule`.' }),
})

const DONE = JOB.extend({ at: z.string(), size: z.int().min(0) })

const STATUS = z
  .object({
    running: JOB.extend({
      node: z.string().meta({ description: 'The server that does it.' }),
      started: z.string(),
      step: z.string(),
      done: z.number(),
      total: z.number(),
      exclusive: z.boolean().meta({ description: 'True while a restore replaces the data.' }),
    }).nullable(),
    lastBackup: DONE.nullable(),
    lastRestore: DONE.nullable(),
    lastFailure: JOB.extend({ at: z.string(), message: z.string() })
      .nullable()
      .meta({ description: 'Null once a backup or restore has succeeded after it.' }),
    overdue: z
      .boolean()
      .meta({ description: 'True when the last backup is older than `BACKUP_WARNING_DAYS`.' }),
    next: z.string().meta({ description: 'When the schedule makes the next one; empty without a schedule.' }),
  })
  .meta({ id: 'BackupStatus' })

const FORM = z
  .object({
    name: z
      .string()
      .max(150)
      .regex(/^[a-z0-9_-]+\.zip$/)
      .optional()
      .meta({ description: 'Without one it is named for the time.' }),
  })
  .meta({ id: 'NewBackup' })

const UPLOAD = z.object({ file: z.string().meta({ format: 'binary' }) })

const KEY = z.object({ key: z.string().meta({ description: 'The `key` of a listed backup.' }) })
const TOKEN = z.object({
  token: z.string().optional().meta({ description: 'Of `POST /api/files/token`, asked for by a superuser.' }),
  download: z.string().optional(),
})

const fields = ONE.query.pick({ fields: true })

/** Backups of the whole installation, for superusers. */
export const backupPaths = (): ZodOpenApiPathsObject => ({
  '/api/backup-status': {
    get: {
      operationId: 'backupStatus',
      tags: [SERVER],
      summary: 'Ask how the backups are',
      description: 'For superusers. What was made last, what runs now, what went wrong.',
      security: SIGNED_IN,
      requestParams: { query: fields },
      responses: answers(success('The state.', STATUS), failures(401)),
    },
  },
  '/api/backups': {
    get: {
      operationId: 'listBackups',
      tags: [SERVER],
      summary: 'List the backups',
      description: 'For superusers. Sorted by name.',
      security: SIGNED_IN,
      requestParams: { query: fields },
      responses: answers(success('All of them.', z.array(BACKUP), [EXAMPLE]), failures(400, 401)),
    },
    post: {
      operationId: 'createBackup',
      tags: [SERVER],
      summary: 'Make a backup',
      description: 'For superusers. It answers when the backup is made. Sending goes on meanwhile.',
      security: SIGNED_IN,
      requestBody: { content: json(FORM, {}) },
      responses: answers(done('It is made.'), failures(400, 401, 413)),
    },
  },
  '/api/backups/upload': {
    post: {
      operationId: 'uploadBackup',
      tags: [SERVER],
      summary: 'Upload a backup',
      description: 'For superusers. The file is read through: one that is damaged or no backup is refused.',
      security: SIGNED_IN,
      requestBody: { required: true, content: { 'multipart/form-data': { schema: UPLOAD } } },
      responses: answers(done('It is stored.'), failures(400, 401)),
    },
  },
  '/api/backups/{key}': {
    get: {
      operationId: 'downloadBackup',
      tags: [SERVER],
      summary: 'Download a backup',
      description: 'For superusers, whom the token in the address tells. Ranges work.',
      security: NOBODY,
      requestParams: { path: KEY, query: TOKEN },
      responses: fileAnswers(),
    },
    delete: {
      operationId: 'deleteBackup',
      tags: [SERVER],
      summary: 'Delete a backup',
      description: 'For superusers.',
      security: SIGNED_IN,
      requestParams: { path: KEY },
      responses: answers(done('It is deleted.'), failures(400, 401)),
    },
  },
  '/api/backups/{key}/restore': {
    post: {
      operationId: 'restoreBackup',
      tags: [SERVER],
      summary: 'Replace everything by a backup',
      description:
        'For superusers. It answers before it begins. While the data is replaced, every request is answered with 503; then all is as it was when the backup was made, sessions included. If it fails, nothing has changed: `lastFailure` of the status says why.',
      security: SIGNED_IN,
      requestParams: { path: KEY },
      responses: answers(done('It will be restored.'), failures(400, 401)),
    },
  },
})
