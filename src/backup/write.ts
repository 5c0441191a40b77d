import type { Db } from '../db/open.ts'
import { copyFolder } from '../db/pglite/folder-copy.ts'
import { dumpInChild } from './child.ts'
import { type DumpOptions, dump } from './dump.ts'
import type { BackupSummary } from './manifest.ts'
import { checkNew } from './new-file.ts'

export type { BackupSummary }

/**
 * Writes a backup of the whole installation, as of one moment, to a new file at `path`; sends go on
 * meanwhile. It is written beside its place first: there is a whole backup or none. The embedded database has
 * one connection, which a long transaction would take from everybody: so its folder is copied, and another
 * process reads the copy.
 *
 * Throws a UserError where the file is there already or cannot be written, and on the embedded database for a
 * second backup at the same time; what `signal` gives when that ends it.
 */
export async function writeBackup(db: Db, path: string, options: DumpOptions = {}): Promise<BackupSummary> {
  if (db.folder === undefined) return dump(db, path, options)
  checkNew(path)
  const copy = await copyFolder(db, db.folder, options.signal)
  try {
    return await dumpInChild(copy.folder, path, options)
  } finally {
    await copy.remove()
  }
}
