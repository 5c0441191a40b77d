import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UserError } from '../../platform/api-errors.ts'
import { removeLeftovers } from '../../platform/tools/remove-leftovers.ts'
import { syncFolder } from '../../platform/tools/sync-folder.ts'

const PREFIX = '.pocketsms-partial-'
/** A temporary file unchanged for this long is abandoned. */
const ABANDONED_MS = 3_600_000

/** Throws a UserError if there is a file at `path`. */
export function requireNewFile(path: string): void {
  if (existsSync(path))
    throw new UserError(`${path} is there already. Nothing is overwritten: name another file.`)
}

/** Writes a file beside `path`, then renames it: a whole file or none. Throws a UserError if that fails. */
export async function writeNewFile<T>(
  path: string,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  requireNewFile(path)
  const folder = dirname(path)
  const partial = join(folder, `${PREFIX}${process.pid}-${basename(path)}`)
  try {
    await removeLeftovers(folder, PREFIX, ABANDONED_MS)
    await rm(partial, { force: true })
    const result = await write(partial)
    requireNewFile(path)
    await rename(partial, path)
    await syncFolder(folder)
    return result
  } catch (error) {
    throw explainWriteError(error, path)
  } finally {
    await rm(partial, { force: true })
  }
}

function explainWriteError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  return new UserError(`${path} cannot be written: ${error.message}.`, { cause: error })
}
