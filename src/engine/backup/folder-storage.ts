import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename, stat, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { syncFolder } from '../../platform/tools/sync-folder.ts'

export interface StoredBackup {
  readonly key: string
  readonly size: number
  readonly modified: Date
}

/** A store for backups. Every method may throw an error of the disk or the S3 server. */
export interface BackupStorage {
  /** Complete backups whose key begins with `prefix`, sorted by key. */
  list(prefix?: string): Promise<StoredBackup[]>
  /** Finds a backup; undefined if there is none or the key is invalid. */
  find(key: string): Promise<StoredBackup | undefined>
  /** The bytes from `start` up to but not including `end`, read while they are consumed. */
  read(key: string, start: number, end: number): AsyncGenerator<Buffer>
  /** Stores the file at `path` as a whole or not at all. A folder only takes files of its own file system. */
  put(path: string, key: string): Promise<void>
  delete(key: string): Promise<void>
}

/** Whether a name may be a backup's key. Names of temporary files begin with a dot. */
const isBackupKey = (key: string) =>
  key !== '' && !key.startsWith('.') && key === basename(key) && !/[\0\\]/.test(key)

/** Backups as files of a folder, which is created when the first is stored. */
export function openFolderStorage(folder: string): BackupStorage {
  const find = async (key: string): Promise<StoredBackup | undefined> => {
    if (!isBackupKey(key)) return undefined
    const found = await stat(join(folder, key)).catch(ignoreMissingFile)
    return found?.isFile() ? { key, size: found.size, modified: found.mtime } : undefined
  }
  return {
    find,
    async list(prefix = '') {
      const names = (await readdir(folder).catch(ignoreMissingFile)) ?? []
      const keys = names
        .filter((name) => isBackupKey(name) && name.startsWith(prefix))
        .sort(compareKeyBytes)
      const found = await Promise.all(keys.map(find))
      return found.filter((one) => one !== undefined)
    },
    async *read(key, start, end) {
      if (end > start) yield* createReadStream(join(folder, key), { start, end: end - 1 })
    },
    async put(path, key) {
      if (!isBackupKey(key)) throw new Error(`${key} cannot be the name of a file.`)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await rename(path, join(folder, key))
      await syncFolder(folder)
    },
    delete: (key) => unlink(join(folder, isBackupKey(key) ? key : '.no-such-file')),
  }
}

/** PocketBase sorts by the bytes of the name. */
const compareKeyBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

function ignoreMissingFile(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENAMETOOLONG') return undefined
  throw error
}
