import { constants } from 'node:fs'
import { copyFile, mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { pgliteFolder } from '../data-folder.ts'
import type { Db } from '../open.ts'
import { serialQueue } from '../serial-queue.ts'
import { COPYING } from './checkpoints.ts'
import { COPY_PREFIX } from './leftover-copies.ts'

const CHUNK_BYTES = 1 << 20
/**
 * Of these Postgres makes what it needs when it starts. Postgres: basebackup.c, excludeDirContents and
 * excludeFiles
 */
const LEFT_OUT =
  /^(pg_wal|pg_dynshmem|pg_notify|pg_replslot|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/.|(^|\/)(pgsql_tmp.*|postmaster\.(pid|opts)|pg_internal\.init.*|current_logfiles.*)$/
const START = `select set_config('${COPYING}', 'yes', false), pg_backup_start('pocketsms', fast => true)`
const END = `select set_config('${COPYING}', '', false)`
const STOP = 'select lsn::text, labelfile from pg_backup_stop(wait_for_archive => false)'

/** Postgres makes one backup a session, and here all is one session. */
const turns = new WeakMap<Db, ReturnType<typeof serialQueue>>()

/** A copy of a data folder, in which a database can be opened. */
export interface FolderCopy {
  readonly folder: string
  remove(): Promise<void>
}

/**
 * Copies the embedded database while it goes on: an online backup as Postgres knows it, after which the copy
 * recovers, when it is opened, to the moment at which copying ended. Statements wait for a checkpoint at its
 * beginning, and for nothing else. Copies of one database are made one after the other.
 * Postgres: 25.3.3, Making a Base Backup Using the Low Level API
 */
export function copyFolder(db: Db, folder: string, signal?: AbortSignal): Promise<FolderCopy> {
  const inTurn = turns.get(db) ?? serialQueue()
  turns.set(db, inTurn)
  return inTurn(() => makeCopy(db, folder, signal))
}

async function makeCopy(db: Db, folder: string, signal?: AbortSignal): Promise<FolderCopy> {
  const target = await mkdtemp(join(folder, COPY_PREFIX))
  const remove = () => rm(target, { recursive: true, force: true })
  try {
    await copyDatabase(db, pgliteFolder(folder), pgliteFolder(target), signal).finally(() => db.query(END))
    return { folder: target, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function copyDatabase(db: Db, from: string, to: string, signal?: AbortSignal): Promise<void> {
  await db.unhurried(START)
  let label: string
  try {
    for (const { name, isFolder } of await contentsOf(from)) {
      signal?.throwIfAborted()
      if (isFolder) await mkdir(join(to, name), { recursive: true, mode: 0o700 })
      else if (!LEFT_OUT.test(name)) await copyAsItIs(join(from, name), join(to, name))
    }
  } finally {
    const { rows } = await db.query(STOP)
    label = String(rows[0]![1])
  }
  await writeFile(join(to, 'backup_label'), label)
  await copyLog(join(from, 'pg_wal'), join(to, 'pg_wal'), label)
}

/** All that is below a folder, folders before what is in them, with `/` between their names. */
async function contentsOf(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const entries = found.map((entry) => ({
    name: join(entry.parentPath, entry.name)
      .slice(folder.length + 1)
      .replaceAll(sep, '/'),
    isFolder: entry.isDirectory(),
  }))
  return [{ name: '', isFolder: true }, ...entries.sort((a, b) => (a.name < b.name ? -1 : 1))]
}

/** The write-ahead log from where the copy began. What is in it after the end of copying does no harm. */
async function copyLog(from: string, to: string, label: string): Promise<void> {
  const first = /\(file ([0-9A-F]{24})\)/.exec(label)?.[1] ?? ''
  for (const name of (await readdir(from)).sort())
    if (/^[0-9A-F]{24}$/.test(name) && name >= first) await copyAsItIs(join(from, name), join(to, name))
}

/**
 * Copies a file that is being written: what is half old and half new in it, recovery mends. A file that was
 * removed meanwhile is left out, as recovery removes it, too.
 */
async function copyAsItIs(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE)
  } catch {
    await copyChunks(from, to)
  }
}

async function copyChunks(from: string, to: string): Promise<void> {
  const source = await open(from, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!source) return
  try {
    const target = await open(to, 'w', 0o600)
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      for (;;) {
        const { bytesRead } = await source.read(chunk, 0, CHUNK_BYTES)
        if (bytesRead === 0) break
        await target.write(chunk, 0, bytesRead)
      }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
