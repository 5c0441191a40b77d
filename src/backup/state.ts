import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Db } from '../db/open.ts'
import { formatDate } from '../fields/date.ts'
import { snakeCase } from '../files/upload.ts'
import type { Logger } from '../log.ts'

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
type Running = z.output<typeof RUNNING>

export const DONE = JOB.extend({ at: z.string(), size: z.int().min(0) })
export type Done = z.output<typeof DONE>

export const FAILED = JOB.extend({ at: z.string(), message: z.string() })
export type Failed = z.output<typeof FAILED>

/** The channel notified when a restore begins to replace the data, and when it ends. */
const RESTORE_CHANNEL = 'pocketsms_restore'

const INTERRUPTED = 'The server ended before it was done.'

const READ = `
select extract(epoch from since)::float8 * 1000, running, coalesce(lease_until > now(), false),
  last_backup, last_restore, last_failure, restores::float8,
  schedule, scheduled_until::text, extract(epoch from scheduled_until)::float8 * 1000
from backup_state`

export type State = Awaited<ReturnType<typeof readState>>

/** The state of backups, shared by all nodes. A job of a dead node counts as failed. */
export async function readState(db: Db) {
  const { rows } = await db.query(READ)
  const [since, text, isHeld, lastBackup, lastRestore, lastFailure, restores, cron, until, untilMs] = rows[0]!
  const running = parsed<Running>(text)
  return {
    since: new Date(Number(since)),
    running: isHeld ? running : null,
    lastBackup: parsed<Done>(lastBackup),
    lastRestore: parsed<Done>(lastRestore),
    /** The last failure; null once a backup or restore has succeeded since then. */
    lastFailure: running && !isHeld ? failed(running, INTERRUPTED) : parsed<Failed>(lastFailure),
    restores: Number(restores),
    /** The next backup is due at the first time after `until` that matches `cron`. */
    schedule: { cron: String(cron), until: String(until), untilMs: Number(untilMs) },
  }
}

const parsed = <T>(text: unknown): T | null => (typeof text === 'string' ? (JSON.parse(text) as T) : null)

const failed = ({ action, key, by }: Job, message: string): Failed => ({
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

/** Writes the saved row of `backup_state` back during a restore. The commit notifies all nodes. */
export async function importState(tx: Db, row: string): Promise<void> {
  await tx.query('delete from backup_state')
  await tx.query(PUT_BACK, [row])
  await tx.query(COUNT)
  await notifyRestore(tx)
}

/** Makes all nodes check whether a restore began or ended. */
export const notifyRestore = async (db: Db): Promise<void> =>
  void (await db.query(`select pg_notify($1, '')`, [RESTORE_CHANNEL]))

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

/** A name like `pb_backup_my_app_20261121105643.zip`. PocketBase: generateBackupName */
export const generatedName = (appName: string, scheduled: boolean, now = new Date()): string =>
  `${scheduled ? AUTO_PREFIX : MANUAL_PREFIX}${snakeCase(appName).slice(0, MAX_APP_NAME)}_${formatDate(now).replace(/\D/g, '').slice(0, 14)}.zip`

/** The time after which the lease of a killed node no longer blocks other nodes. */
const LEASE = `interval '30 seconds'`
const RENEW_MS = 10_000
const PROGRESS_MS = 500

/**
 * Takes the lease if it is free. $3: the failure to record if a dead node had the lease. $4: null, or for a
 * scheduled backup the `scheduled_until` that the caller has read; this column is then set to now.
 */
const TAKE = `
update backup_state set running = $1::json, lease = $2::uuid, lease_until = now() + ${LEASE},
  last_failure = case when running is null then last_failure else $3::json end,
  scheduled_until = case when $4::timestamptz is null then scheduled_until else now() end
where (running is null or lease_until <= now()) and ($4::timestamptz is null or scheduled_until = $4::timestamptz)`

const RENEW = `update backup_state set running = $2::json, lease_until = now() + ${LEASE} where lease = $1::uuid`

const END = `
update backup_state set running = null, lease = null, lease_until = null, last_failure = $2::json,
  last_backup = coalesce($3::json, last_backup), last_restore = coalesce($4::json, last_restore)
where lease = $1::uuid`

export type Lease = NonNullable<Awaited<ReturnType<typeof takeLease>>>

/** Takes the lease. Undefined while another job runs, or if `scheduledUntil` is no longer the stored one. */
export async function takeLease(db: Db, node: string, job: Job, scheduledUntil: string | null = null) {
  const id = randomUUID()
  const started = formatDate(new Date())
  let running: Running = { ...job, node, started, step: '', done: 0, total: 0, exclusive: false }
  const { lastFailure } = await readState(db)
  const values = [JSON.stringify(running), id, JSON.stringify(lastFailure), scheduledUntil]
  if ((await db.query(TAKE, values)).count === 0) return undefined
  const lost = new AbortController()
  let writing: Promise<void> | undefined
  let writtenMs = 0
  const write = () => db.query(RENEW, [id, JSON.stringify(running)])
  /** Renews the lease, one write at a time. Progress reported during a slow write waits for the next one. */
  const renew = () => {
    writtenMs = performance.now()
    writing ??= write()
      .then(({ count }) => {
        if (count === 0) lost.abort(new Error('Another server has taken over.'))
      })
      // the next renewal may succeed; if none does in time, another node takes the lease
      .catch(() => {})
      .finally(() => {
        writing = undefined
      })
  }
  const timer = setInterval(renew, RENEW_MS).unref()
  return {
    /** Aborts when another node has taken the lease, because this one could not renew it. */
    lost: lost.signal,
    report(step: string, done: number, total: number): void {
      running = { ...running, step, done, total }
      if (performance.now() - writtenMs > PROGRESS_MS) renew()
    },
    /** Marks the job so that other nodes stop using the database until it ends. */
    async makeExclusive(): Promise<void> {
      await writing
      running = { ...running, exclusive: true }
      await write()
    },
    async end(result: { readonly done: Done } | { readonly message: string }): Promise<void> {
      clearInterval(timer)
      await writing
      const failure = 'message' in result ? JSON.stringify(failed(running, result.message)) : null
      const done = 'done' in result ? JSON.stringify(result.done) : null
      const isBackup = job.action === 'backup'
      await db.query(END, [id, failure, isBackup ? done : null, isBackup ? null : done])
    },
  }
}

const POLL_MS = 500

/** Restarts this node when another one restores a backup. `seen`: the number of restores at its start. */
export function followRestores(
  db: Db,
  node: string,
  log: Logger,
  seen: () => number,
  exclusively: (work: () => Promise<void>) => Promise<void>,
): Promise<() => Promise<void>> {
  const look = async () => {
    const { running, restores } = await readState(db)
    if (running?.node === node) return
    if (running?.exclusive || restores !== seen()) await exclusively(() => otherRestoreIsOver(db, node))
  }
  let looking = Promise.resolve()
  return db.listen(RESTORE_CHANNEL, () => {
    looking = looking.then(look).catch((err) => log.error({ err }, 'could not read the state of restores'))
  })
}

/** Waits until no other node restores a backup; the restore of a dead node ends with its lease. */
export async function otherRestoreIsOver(db: Db, node: string): Promise<void> {
  for (;;) {
    const state = await readState(db).catch(() => undefined)
    if (state && !(state.running?.exclusive && state.running.node !== node)) return
    await sleep(POLL_MS)
  }
}
