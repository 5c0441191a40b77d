import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { formatNow } from '../fields/parse-date.ts'

const JOB = z.object({
  action: z.enum(['backup', 'restore']),
  key: z.string(),
  by: z.string().describe('An email address, or `schedule`.'),
})

export type BackupJob = z.output<typeof JOB>

/** A running job. `step`, `done` and `total`: its progress; empty and 0 until known. */
export const RUNNING = JOB.extend({
  node: z.string().describe('The server that does it.'),
  started: z.string(),
  step: z.string(),
  done: z.number(),
  total: z.number(),
  exclusive: z.boolean().describe('True while a restore replaces the data.'),
})

export type Running = z.output<typeof RUNNING>

export const DONE = JOB.extend({ at: z.string(), size: z.int().min(0) })

export type Done = z.output<typeof DONE>

export const FAILED = JOB.extend({ at: z.string(), message: z.string() })

export type Failed = z.output<typeof FAILED>

const INTERRUPTED = 'The server ended before it was done.'

export type BackupState = Awaited<ReturnType<typeof loadBackupState>>

/** The state of backups, shared by all nodes. A job of a dead node counts as failed. */
export async function loadBackupState(db: Db) {
  const row = await queries(db)
    .selectFrom('backup_state')
    .select([
      'since',
      'running',
      'last_backup',
      'last_restore',
      'last_failure',
      'restores',
      'schedule',
    ])
    .select([
      sql<boolean>`coalesce(lease_until > now(), false)`.as('isHeld'),
      sql<string>`scheduled_until::text`.as('until'),
      sql<number>`extract(epoch from scheduled_until)::float8 * 1000`.as('untilMs'),
    ])
    .executeTakeFirstOrThrow()
  const { since, isHeld, restores, schedule: cron, until, untilMs } = row
  const running = parseStateJson<Running>(row.running)
  return {
    since,
    running: isHeld ? running : null,
    lastBackup: parseStateJson<Done>(row.last_backup),
    lastRestore: parseStateJson<Done>(row.last_restore),
    /** The last failure; null once a backup or restore has succeeded since then. */
    lastFailure:
      running && !isHeld
        ? makeJobFailure(running, INTERRUPTED)
        : parseStateJson<Failed>(row.last_failure),
    restores,
    /** The next backup is due at the first time after `until` that matches `cron`. */
    schedule: { cron, until, untilMs },
  }
}

const parseStateJson = <T>(json: string | null): T | null =>
  json === null ? null : (JSON.parse(json) as T)

export const makeJobFailure = ({ action, key, by }: BackupJob, message: string): Failed => ({
  action,
  key,
  by,
  at: formatNow(),
  message,
})

export async function beginSchedule(db: Db, cron: string): Promise<void> {
  await queries(db)
    .updateTable('backup_state')
    .set({ schedule: cron, scheduled_until: sql<Date>`now()` })
    .where('schedule', '<>', cron)
    .execute()
}
