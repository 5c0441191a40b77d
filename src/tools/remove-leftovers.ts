import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes files and folders of this prefix and age that killed processes left behind. */
export async function removeLeftovers(folder: string, prefix: string, ageMs: number): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const path = join(folder, name)
    const found = await lstat(path).catch(() => undefined)
    // removing another user's file fails
    if (found && Date.now() - found.mtimeMs > ageMs)
      await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}
