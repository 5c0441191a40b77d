import { cpSync, existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SQLOutputValue } from 'node:sqlite'
import { UserError } from '../../platform/api-errors.ts'
import { quoteName } from '../collections/sql-names.ts'
import { UPLOAD_PREFIX } from '../files/temporary-upload.ts'

export type StoredRow = Readonly<Record<string, SQLOutputValue | undefined>>

export type PocketBaseData = ReturnType<typeof openPocketBase>

/**
 * Opens a copy of `data.db` and its write-ahead log, because SQLite adds files beside a database. Deletes the
 * copy; after a kill, `removeLeftoverUploads` does so. Throws a UserError if `data.db` is missing or not
 * PocketBase's.
 */
export function openPocketBase(folder: string) {
  if (!existsSync(join(folder, 'data.db')))
    throw new UserError(`${folder} is not a PocketBase data directory: it has no data.db.`)
  const copy = mkdtempSync(join(tmpdir(), `${UPLOAD_PREFIX}import-`))
  // not imported above: Node 22 would print a warning at each start
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  try {
    for (const name of ['data.db', 'data.db-wal']) {
      if (existsSync(join(folder, name))) cpSync(join(folder, name), join(copy, name))
    }
    const db = new DatabaseSync(join(copy, 'data.db'), { readBigInts: true })
    const columns = db.prepare("select name from pragma_table_info('_collections')").all()
    if (!columns.some(({ name }) => name === 'fields'))
      throw new UserError(`${folder}: data.db has no collections of PocketBase 0.23 or later.`)
    return {
      /** Rows of a table in order of insertion. Integers are bigint. */
      rows: (table: string): Iterable<StoredRow> =>
        db.prepare(`select * from ${quoteName(table)} order by rowid`).iterate(),
      count: (table: string) =>
        Number(db.prepare(`select count(*) n from ${quoteName(table)}`).get()!.n),
      close: () => db.close(),
    }
  } catch (error) {
    throw error instanceof UserError ? error : makeUnreadableError(folder, error)
  } finally {
    // the copies can be deleted already, because SQLite has them open
    void rm(copy, { recursive: true, force: true }).catch(() => {})
  }
}

export const makeUnreadableError = (folder: string, cause: unknown) =>
  new UserError(`${folder}: data.db cannot be read: ${(cause as Error).message}.`, { cause })

export function readSqliteText(value: SQLOutputValue | undefined): string {
  if (value === null || value === undefined) return ''
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)
}
