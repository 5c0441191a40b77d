import { existsSync } from 'node:fs'
import { link, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UserError } from '../errors.ts'

const PARTIAL = '.pocketsms-partial'
/** A file that is being written changes far more often than that. */
const ABANDONED_MS = 3_600_000

/** Throws a UserError if there is a file at `path`. */
export function checkNew(path: string): void {
  if (existsSync(path)) throw taken(path)
}

const taken = (path: string) =>
  new UserError(`${path} is there already. Nothing is overwritten: name another file.`)

/**
 * Lets `write` write beside `path`, then renames: a whole file or none. Removes leftovers of killed
 * processes. Throws a UserError if the file exists or the folder is not writable.
 */
export async function newFile<T>(path: string, write: (partial: string) => Promise<T>): Promise<T> {
  checkNew(path)
  const partial = join(dirname(path), `.${basename(path)}.${process.pid}${PARTIAL}`)
  try {
    await removeAbandoned(dirname(path))
    await rm(partial, { force: true })
    const result = await write(partial)
    await name(partial, path)
    return result
  } catch (error) {
    throw explained(error, path)
  } finally {
    await rm(partial, { force: true })
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    if (!file.endsWith(PARTIAL)) continue
    const { mtimeMs } = await stat(join(folder, file)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(join(folder, file), { force: true })
  }
}

/** Unlike a renaming, a link never replaces a file. Some file systems have none. */
async function name(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(path)) throw taken(path)
    await rename(partial, path)
  }
  await syncFolder(dirname(path))
}

/** Makes the name durable. Where a platform cannot sync a folder, it is its file system that sees to that. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

function explained(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  return new UserError(`${path} cannot be written: ${error.message}.`, { cause: error })
}
