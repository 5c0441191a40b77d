import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes what killed processes left behind: files and folders older than `ageMs` with the prefix. */
export async function removeLeftovers(
  folder: string,
  prefix: string,
  ageMs: number,
): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const path = join(folder, name)
    const found = await lstat(path).catch(() => undefined)
    // ignore that another user's file cannot be removed
    if (found && Date.now() - found.mtimeMs > ageMs)
      await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}
