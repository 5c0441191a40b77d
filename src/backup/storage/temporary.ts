import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const PREFIX = '.tmp-'
/** Older temporary files belong to killed processes: no backup, upload or restore takes this long. */
const LEFT_BEHIND_MS = 86_400_000

/**
 * Runs `work` with a new path in the backups folder, which is created, and removes what is at that path
 * afterwards. Lists do not show it.
 */
export async function withTemporary<T>(
  folder: string,
  purpose: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${PREFIX}${purpose}-${randomUUID()}`)
  try {
    return await work(path)
  } finally {
    await rm(path, { force: true })
  }
}

/** Removes temporary files that a killed process has left behind. */
export async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(PREFIX))) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > LEFT_BEHIND_MS) await rm(path, { force: true })
  }
}
