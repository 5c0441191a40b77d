import { z } from 'zod'
import type { Db } from '../../db/open.ts'
import { formatDate } from '../../fields/types/date.ts'
import { snakeCase } from '../../files/stored-name.ts'

const JOB = z.object({
  action: z.enum(['backup', 'restore']),
  key: z.string(),
  by: z.string().describe('An email address, or `schedule`.'),
})
export type Job = z.output<typeof JOB>

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

/** The channel notified when a restore begins to replace the data, and when it ends. */
export const RESTORE_CHANNEL = 'pocketsms_restore'

const INTERRUPTED = 'The server ended before it was done.'

const READ = `
select extract(epoch from since)::float8 * 1000, running, coalesce(lease_until > now(), false),
  last_backup, last_restore, last_failure, restores::float8
from backup_state`

/** The state of backups, shared by all nodes. A job of a dead node counts as failed. */
export async function readState(db: Db) {
  const { rows } = await db.query(READ)
  const [since, text, isHeld, lastBackup, lastRestore, lastFailure, restores] = rows[0]!
  const running = parsed<Running>(text)
  return {
    since: new Date(Number(since)),
    running: isHeld ? running : null,
    lastBackup: parsed<Done>(lastBackup),
    lastRestore: parsed<Done>(lastRestore),
    /** The last failure; null once a backup or restore has succeeded since then. */
    lastFailure: running && !isHeld ? failed(running, INTERRUPTED) : parsed<Failed>(lastFailure),
    restores: Number(restores),
  }
}

const parsed = <T>(text: unknown): T | null => (typeof text === 'string' ? (JSON.parse(text) as T) : null)

export const failed = ({ action, key, by }: Job, message: string): Failed => ({
  action,
  key,
  by,
  at: formatDate(new Date()),
  message,
})

export async function exportState(db: Db): Promise<string> {
  const { rows } = await db.query('select row_to_json(s)::text from backup_state s')
  return String(rows[0]![0])
}

const PUT_BACK = `
insert into backup_state select * from json_populate_record(null::backup_state, $1::json)`
const COUNT = `
update backup_state set restores = restores + 1, lease_until = clock_timestamp() + interval '30 seconds'`

/** Writes the row of `backup_state` back in a restore's transaction. Its commit notifies all nodes. */
export async function importState(tx: Db, row: string): Promise<void> {
  await tx.query('delete from backup_state')
  await tx.query(PUT_BACK, [row])
  await tx.query(COUNT)
  await notifyRestore(tx)
}

/** Makes all nodes check whether a restore began or ended. */
export const notifyRestore = async (db: Db): Promise<void> =>
  void (await db.query(`select pg_notify($1, '')`, [RESTORE_CHANNEL]))

/** The stored schedule, and the time up to which it was served, also as text with full precision. */
export async function readSchedule(db: Db): Promise<{ cron: string; until: string; untilMs: number }> {
  const { rows } = await db.query(
    'select schedule, scheduled_until::text, extract(epoch from scheduled_until)::float8 * 1000 from backup_state',
  )
  const [cron, until, untilMs] = rows[0]!
  return { cron: String(cron), until: String(until), untilMs: Number(untilMs) }
}

export const beginSchedule = async (db: Db, cron: string): Promise<void> =>
  void (await db.query(
    'update backup_state set schedule = $1, scheduled_until = now() where schedule <> $1',
    [cron],
  ))

/** Names that `POST /api/backups` accepts. PocketBase: apis/backup_create.go */
export const BACKUP_NAME = /^[a-z0-9_-]+\.zip$/
export const MAX_BACKUP_NAME = 150

/** Prefix of scheduled backups; only these are deleted when too many. PocketBase: core/base_backup.go */
export const AUTO_PREFIX = '@auto_pb_backup_'
const MANUAL_PREFIX = 'pb_backup_'
const MAX_APP_NAME = 50

/** `pb_backup_my_app_20261121105643.zip`. PocketBase: generateBackupName */
export const generatedName = (appName: string, scheduled: boolean, now = new Date()): string =>
  `${scheduled ? AUTO_PREFIX : MANUAL_PREFIX}${snakeCase(appName).slice(0, MAX_APP_NAME)}_${formatDate(now).replace(/\D/g, '').slice(0, 14)}.zip`
