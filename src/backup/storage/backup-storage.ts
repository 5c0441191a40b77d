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
  /** Stores the file at `path` completely or not at all. A folder moves the file, in the same file system. */
  put(path: string, key: string): Promise<void>
  delete(key: string): Promise<void>
}
