import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** How the names of copies of a data folder begin. */
export const COPY_PREFIX = 'backup-copy-'

/**
 * Removes the copies that a process which was killed has left in a data folder. Nobody may be at work on it.
 */
export function removeCopies(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(COPY_PREFIX)) rmSync(join(folder, name), { recursive: true, force: true })
}
