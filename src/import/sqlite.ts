import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SQLOutputValue } from 'node:sqlite'
import { quote } from '../collections/catalog.ts'
import { UserError } from '../errors.ts'

export type StoredRow = Readonly<Record<string, SQLOutputValue | undefined>>

export interface PocketBaseData {
  /** Rows of a table in order of insertion. Integers are bigint. */
  rows(table: string): Iterable<StoredRow>
  count(table: string): number
  close(): void
}

/** Opens a copy of `data.db` with its write-ahead log, as SQLite writes beside it. UserError if missing. */
export function openPocketBase(folder: string): PocketBaseData {
  if (!existsSync(join(folder, 'data.db')))
    throw new UserError(`${folder} is no PocketBase data directory: it has no data.db.`)
  const copy = mkdtempSync(join(tmpdir(), 'pocketsms-import-'))
  // not by an import, for which Node 22 prints a warning at each start
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const close = () => rmSync(copy, { recursive: true, force: true })
  try {
    for (const name of ['data.db', 'data.db-wal']) {
      if (existsSync(join(folder, name))) cpSync(join(folder, name), join(copy, name))
    }
    const db = new DatabaseSync(join(copy, 'data.db'), { readBigInts: true })
    const columns = db.prepare("select name from pragma_table_info('_collections')").all()
    if (!columns.some(({ name }) => name === 'fields'))
      throw new UserError(`${folder}: data.db has no collections of PocketBase 0.23 or later.`)
    return {
      rows: (table) => db.prepare(`select * from ${quote(table)} order by rowid`).iterate(),
      count: (table) => Number(db.prepare(`select count(*) n from ${quote(table)}`).get()!.n),
      close() {
        db.close()
        close()
      },
    }
  } catch (error) {
    close()
    throw error instanceof UserError ? error : unreadable(folder, error)
  }
}

/** The error for a file or a table that SQLite cannot read. */
export const unreadable = (folder: string, cause: unknown) =>
  new UserError(`${folder}: data.db cannot be read: ${(cause as Error).message}.`, { cause })

/** A value as text, whatever type SQLite gave it. */
export function textOf(value: SQLOutputValue | undefined): string {
  if (value === null || value === undefined) return ''
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)
}
