import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Actor, recordAudit } from '../../auth/superusers/audit.ts'
import type { Db } from '../../db/open.ts'
import { badRequest } from '../../errors.ts'
import { formatDate } from '../../fields/types/date.ts'
import type { Logger } from '../../log.ts'
import type { SettingsStore } from '../../settings/settings-store.ts'
import { checkBackup } from '../check.ts'
import { restoreBackup } from '../restore.ts'
import type { BackupStorage, StoredBackup } from '../storage/backup-storage.ts'
import { folderStorage } from '../storage/folder.ts'
import { removeTemporary, withTemporary } from '../storage/temporary.ts'
import { writeBackup } from '../write.ts'
import { type Lease, takeLease } from './lease.ts'
import { generatedName } from './names.ts'
import { type Done, exportState, importState, notifyRestore } from './state.ts'

const SCHEDULE = 'schedule'
/** Lets the answer reach the client and other nodes finish requests. PocketBase waits as long. */
const BEFORE_RESTORE_MS = 1_000

/** Runs `work` while this server does nothing else, then restarts it, also after a failure. */
export type Exclusively = (work: () => Promise<void>) => Promise<void>

export interface BackupServices {
  readonly db: Db
  /** This server's name, unique among those of the database. */
  readonly node: string
  readonly settings: Pick<SettingsStore, 'current'>
  readonly log: Logger
  /** Folder for temporary files, and for backups unless the settings name an S3-compatible store. */
  readonly folder: string
  readonly stopping: AbortSignal
  readonly exclusively: Exclusively
}

/** Makes, stores and restores backups; one job at a time across all nodes. */
export class Backups {
  readonly #services: BackupServices
  #making: Promise<void> = Promise.resolve()

  constructor(services: BackupServices) {
    this.#services = services
  }

  async storage(): Promise<BackupStorage> {
    const { settings, folder } = this.#services
    const { s3 } = settings.current.backups
    if (!s3.enabled) return folderStorage(folder)
    // loaded on first use: most installations use no S3
    return (await import('../storage/s3.ts')).s3Storage(s3)
  }

  /** Makes a backup, by default named after the time. Throws 400 while another job runs, or the error. */
  async create(name: string, by: string): Promise<void> {
    if (!(await this.#backUp(name || this.#generatedName(false), by))) throw isBusy()
  }

  /** Makes a scheduled backup unless a job runs on any node. Returns whether it did. */
  createScheduled(scheduledUntil: string): Promise<boolean> {
    return this.#backUp(this.#generatedName(true), SCHEDULE, scheduledUntil)
  }

  /** Stores an uploaded file. Throws a UserError that says what is wrong if it is no backup. */
  upload(key: string, content: AsyncIterable<Buffer>): Promise<void> {
    return withTemporary(this.#services.folder, 'upload', async (path) => {
      await writeFile(content, path)
      await checkBackup(path)
      await (await this.storage()).put(path, key)
    })
  }

  /** Begins to restore a backup and answers at once. Throws 400 while another job runs. */
  async startRestore(backup: StoredBackup, by: Actor): Promise<void> {
    const { db, node } = this.#services
    const job = { action: 'restore', key: backup.key, by: String(by.auth.values.email ?? '') } as const
    const lease = await takeLease(db, node, job)
    if (!lease) throw isBusy()
    // errors are stored and logged
    void this.#restore(lease, backup, by).catch(() => {})
  }

  /** Waits for a backup that is being made; the server's stop has ended it. */
  async idle(): Promise<void> {
    await this.#making.catch(() => {})
  }

  #generatedName(scheduled: boolean): string {
    return generatedName(this.#services.settings.current.meta.appName, scheduled)
  }

  /** False while another job runs. `scheduledUntil`: see Lease. */
  async #backUp(key: string, by: string, scheduledUntil?: string): Promise<boolean> {
    const { db, node } = this.#services
    const lease = await takeLease(db, node, { action: 'backup', key, by }, scheduledUntil)
    if (!lease) return false
    this.#making = this.#make(lease, key, by)
    await this.#making
    return true
  }

  #make(lease: Lease, key: string, by: string): Promise<void> {
    const { db, folder, stopping } = this.#services
    return this.#ended(lease, key, async () => {
      await removeTemporary(folder)
      const signal = AbortSignal.any([stopping, lease.lost])
      const size = await withTemporary(folder, 'backup', async (path) => {
        await writeBackup(db, path, { progress: lease.report, signal })
        signal.throwIfAborted()
        const { size } = await stat(path)
        lease.report('storing', 0, size)
        await (await this.storage()).put(path, key)
        return size
      })
      return { action: 'backup', key, by, size, at: formatDate(new Date()) }
    })
  }

  async #restore(lease: Lease, { key, size }: StoredBackup, by: Actor): Promise<void> {
    const { db, folder, exclusively } = this.#services
    await this.#ended(lease, key, async () => {
      const storage = await this.storage()
      return withTemporary(folder, 'restore', async (path) => {
        lease.report('fetching', 0, size)
        await writeFile(storage.read(key, 0, size), path)
        await checkBackup(path)
        await lease.makeExclusive()
        await notifyRestore(db)
        await sleep(BEFORE_RESTORE_MS)
        await exclusively(() => replaceAll(db, path, key, by, lease))
        return {
          action: 'restore',
          key,
          by: String(by.auth.values.email ?? ''),
          size,
          at: formatDate(new Date()),
        }
      })
    })
    await notifyRestore(db)
  }

  /** Runs a job and ends its lease with the result. Throws what the job threw. */
  async #ended(lease: Lease, key: string, work: () => Promise<Done>): Promise<void> {
    const done = await work().catch(async (error) => {
      this.#services.log.error({ err: error, key }, 'a backup or restore failed')
      await lease.end({ message: error instanceof Error ? error.message : String(error) }).catch(() => {})
      throw error
    })
    await lease.end({ done })
  }
}

/** Restores everything but `backup_state`. Audits the restore again, since it replaces the audit log. */
async function replaceAll(db: Db, path: string, key: string, by: Actor, lease: Lease): Promise<void> {
  const state = await exportState(db)
  await restoreBackup(db, path, {
    replace: true,
    async inSameTransaction(tx) {
      lease.lost.throwIfAborted()
      await recordAudit(tx, by, { action: 'restore backup', record: key })
      await importState(tx, state)
    },
  })
}

/** Writes a new file that only its owner can read, and waits until the disk has it. */
const writeFile = (content: AsyncIterable<Buffer>, path: string): Promise<void> =>
  pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))

/** PocketBase: apis/backup_create.go */
export const isBusy = () =>
  badRequest('Try again later - another backup/restore process has already been started')
