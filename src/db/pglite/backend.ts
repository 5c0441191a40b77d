import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { lockFile } from '../../tools/lock-file.ts'
import type { Backend } from '../backend.ts'
import { pgliteFolder } from '../data-folder.ts'
import { PLANNER } from '../planner.ts'
import { connect } from './connection.ts'
import { Engine } from './engine.ts'
import { removeCopies } from './leftover-copies.ts'
import { makeFolder } from './make-folder.ts'

/**
 * Settings of Postgres. Its default way to sync, fdatasync, does nothing in PGlite. 16 MB of buffers, not
 * 128, take 110 MB less memory, and the system caches the files anyway.
 */
const SETTINGS = {
  ...PLANNER,
  fsync: 'on',
  wal_sync_method: 'fsync',
  shared_buffers: '16MB',
  min_wal_size: '32MB',
} as const

/**
 * Refuses a folder that another process has open: two of them would destroy it. Returns what gives it back.
 */
const lock = (folder: string): (() => void) =>
  lockFile(
    join(folder, 'pocketsms.pid'),
    (owner) =>
      `The data folder ${folder} is in use by process ${owner}. PGlite serves one process at a time: stop that one first. Only a Postgres server (DATABASE_URL) takes several.`,
  )

/** Makes a folder ours. Throws a UserError where it cannot be made or written, or is another's. */
function take(folder: string): () => void {
  try {
    mkdirSync(folder, { recursive: true })
    return lock(folder)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new UserError(`The data folder ${folder} cannot be used: ${error.message}. DATA_DIR names another.`)
  }
}

/**
 * The embedded database in `folder`. One connection: statements run one by one. `isCopy`: its files may be
 * lost, so they are not synced. Throws a UserError for a folder that is of no use.
 */
export async function openPglite(folder: string, log: Logger, isCopy = false): Promise<Backend> {
  const unlock = take(folder)
  try {
    removeCopies(folder)
    const engine = await start(pgliteFolder(folder), log, isCopy)
    return { ...connect(engine, unlock, log), folder }
  } catch (error) {
    unlock()
    throw error
  }
}

async function start(folder: string, log: Logger, isCopy: boolean): Promise<Engine> {
  try {
    await makeFolder(folder, isCopy)
    return await Engine.start({ folder, settings: isCopy ? { ...SETTINGS, fsync: 'off' } : SETTINGS }, log)
  } catch (error) {
    throw new UserError(
      `The database in ${folder} does not start: ${(error as Error).message}. If its files are damaged, put a backup in their place.`,
    )
  }
}
