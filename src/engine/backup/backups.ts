import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Selectable, sql } from 'kysely'
import type { AgeIdentity } from '../../platform/age/keys.ts'
import { unseal } from '../../platform/age/seal.ts'
import { badRequest, UserError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { Logger } from '../../platform/log.ts'
import { removeLeftovers } from '../../platform/tools/remove-leftovers.ts'
import { type AuditActor, recordAudit } from '../auth/write-audit-log.ts'
import { formatNow } from '../fields/parse-date.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import { makeBackupName } from './backup-names.ts'
import { type BackupStorage, openFolderStorage, type StoredBackup } from './folder-storage.ts'
import { notifyRestore } from './follow-restores.ts'
import { acquireBackupLease, type BackupLease, LEASE } from './lease.ts'
import type { AfterRestore } from './restore.ts'
import type { BackupJob, Done } from './state.ts'
import { isFileSealed, SEALED_ENDING } from './unseal-file.ts'

const SCHEDULE = 'schedule'

const PREFIX = '.tmp-'

/** Temporary files older than this are leftovers: no backup, upload or restore takes this long. */
const LEFT_BEHIND_MS = 86_400_000

/** Pause before a restore, as in PocketBase: the client gets its answer, other nodes finish requests. */
const BEFORE_RESTORE_MS = 1_000

/** Stops all else that this server does, runs `work`, then restarts the server, also after a failure. */
export type Exclusively = (work: () => Promise<void>) => Promise<void>

export interface BackupServices {
  readonly db: Db
  /** This server's name, unique among the servers of the database. */
  readonly node: string
  readonly settings: Pick<SettingsStore, 'current'>
  readonly log: Logger
  /** Folder for temporary files, and for backups unless the settings name an S3-compatible store. */
  readonly folder: string
  /** Public keys of age, to which backups are sealed. Without any, backups are not sealed. */
  readonly recipients: readonly string[]
  readonly stopping: AbortSignal
  readonly exclusively: Exclusively
  readonly afterRestore: AfterRestore
}

export type Backups = ReturnType<typeof openBackups>

export function openBackups(services: BackupServices) {
  const { db, node, settings, log, folder, recipients, stopping } = services
  const { exclusively, afterRestore } = services
  let making: Promise<unknown> = Promise.resolve()

  async function storage(): Promise<BackupStorage> {
    const { s3 } = settings.current.backups
    if (!s3.enabled) return openFolderStorage(folder)
    return (await import('./s3-storage.ts')).openS3Storage(s3)
  }

  /** The key of a new backup with this name: a sealed backup is no ZIP file that other programs can open. */
  const makeKey = (name: string) => (recipients.length > 0 ? name + SEALED_ENDING : name)

  /** Makes a backup. False while another job runs, or if one was made since `scheduledUntil`. */
  async function backUp(name: string, by: string, scheduledUntil?: string): Promise<boolean> {
    const isScheduled = scheduledUntil !== undefined
    const key = makeKey(name || makeBackupName(settings.current.meta.appName, isScheduled))
    const job = { action: 'backup', key, by } as const
    const lease = await acquireBackupLease(db, node, job, scheduledUntil)
    if (!lease) return false
    making = ended(lease, key, async () => {
      await removeLeftovers(folder, PREFIX, LEFT_BEHIND_MS)
      const signal = AbortSignal.any([stopping, lease.lost])
      const size = await withTemporary('backup', async (path) => {
        const { writeBackup } = await import('./write.ts')
        await writeBackup(db, path, { progress: lease.report, signal, recipients })
        signal.throwIfAborted()
        const { size } = await stat(path)
        lease.report('storing', 0, size)
        await (await storage()).put(path, key)
        return size
      })
      return { ...job, size, at: formatNow() }
    })
    await making
    return true
  }

  async function restore(
    lease: BackupLease,
    job: BackupJob,
    size: number,
    by: AuditActor,
    identities: readonly AgeIdentity[],
  ): Promise<void> {
    const { key } = job
    await ended(lease, key, () =>
      withTemporary('restore', async (path) => {
        lease.report('fetching', 0, size)
        const stored = (await storage()).read(key, 0, size)
        await writeBackupFile(identities.length > 0 ? unseal(stored, identities) : stored, path)
        await checkBackup(path)
        await lease.makeExclusive()
        await notifyRestore(db)
        await sleep(BEFORE_RESTORE_MS)
        await exclusively(() => replaceDatabase(db, path, key, by, lease, afterRestore))
        return { ...job, size, at: formatNow() }
      }),
    )
    await notifyRestore(db)
  }

  async function ended(lease: BackupLease, key: string, work: () => Promise<Done>): Promise<void> {
    const done = await work().catch(async (error) => {
      log.error({ err: error, key }, 'a backup or restore failed')
      await lease
        .end({ message: error instanceof Error ? error.message : String(error) })
        .catch(() => {})
      throw error
    })
    await lease.end({ done })
  }

  async function withTemporary<T>(purpose: string, work: (path: string) => Promise<T>): Promise<T> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, `${PREFIX}${purpose}-${randomUUID()}`)
    try {
      return await work(path)
    } finally {
      await rm(path, { force: true })
    }
  }

  return {
    storage,
    /** Makes a backup, by default named after the time. Throws 400 while another job runs. */
    async create(name: string, by: string): Promise<void> {
      if (!(await backUp(name, by))) throw makeBusyError()
    },
    /** Makes a scheduled backup. Returns false if another job runs, or another node has made the backup. */
    createScheduled: (scheduledUntil: string) => backUp('', SCHEDULE, scheduledUntil),
    makeKey,
    /**
     * Stores an uploaded file. Throws a UserError that says what is wrong if it is no backup. Of a sealed
     * backup only the beginning is checked: the server has no key to read more.
     */
    upload: (key: string, content: AsyncIterable<Buffer>): Promise<void> =>
      withTemporary('upload', async (path) => {
        await writeBackupFile(content, path)
        if (!key.endsWith(SEALED_ENDING)) await checkBackup(path)
        else if (!(await isFileSealed(path))) throw new UserError('The file is not sealed by age.')
        await (await storage()).put(path, key)
      }),
    /** Starts to restore a backup in the background. Throws 400 while another job runs. */
    async startRestore(
      { key, size }: StoredBackup,
      by: AuditActor,
      identities: readonly AgeIdentity[] = [],
    ): Promise<void> {
      const job = { action: 'restore', key, by: String(by.auth.values.email ?? '') } as const
      const lease = await acquireBackupLease(db, node, job)
      if (!lease) throw makeBusyError()
      void restore(lease, job, size, by, identities).catch(() => {})
    },
    /** Waits until a running backup has ended. A server that stops aborts its backup. */
    idle: () => making.catch(() => {}),
  }
}

/** Restores all tables but `backup_state`. Notes the restore in the restored audit log. */
async function replaceDatabase(
  db: Db,
  path: string,
  key: string,
  by: AuditActor,
  lease: BackupLease,
  afterRestore: AfterRestore,
): Promise<void> {
  const { restoreBackup } = await import('./restore.ts')
  const state = await exportState(db)
  await restoreBackup(db, path, {
    afterRestore,
    async replace(tx) {
      lease.lost.throwIfAborted()
      await recordAudit(tx, by, { action: 'restore backup', record: key })
      await importState(tx, state)
    },
  })
}

const checkBackup = async (path: string) => (await import('./read-archive.ts')).checkBackup(path)

/** Writes a new file that only its owner can read, and waits until the disk has it. */
const writeBackupFile = (content: AsyncIterable<Buffer>, path: string): Promise<void> =>
  pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))

/** The message is PocketBase's: apis/backup_create.go */
export const makeBusyError = () =>
  badRequest('Try again later - another backup/restore process has already been started')

async function exportState(db: Db): Promise<string> {
  const { row } = await queries(db)
    .selectFrom('backup_state as s')
    .select(sql<string>`row_to_json(s)::text`.as('row'))
    .executeTakeFirstOrThrow()
  return row
}

/** Writes the saved row of `backup_state` back during a restore. The commit notifies all nodes. */
async function importState(tx: Db, row: string): Promise<void> {
  await queries(tx).deleteFrom('backup_state').execute()
  const saved = sql<
    Selectable<Tables['backup_state']>
  >`json_populate_record(null::backup_state, ${row}::json)`
  await queries(tx)
    .insertInto('backup_state')
    .expression((from) => from.selectFrom(saved.as('saved')).selectAll())
    .execute()
  const leaseUntil = sql<Date>`clock_timestamp() + ${LEASE}`
  await queries(tx)
    .updateTable('backup_state')
    .set({ restores: sql<number>`restores + 1`, lease_until: leaseUntil })
    .execute()
  await notifyRestore(tx)
}
