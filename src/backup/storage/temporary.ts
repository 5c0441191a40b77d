import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { removeLeftovers } from '../../tools/remove-leftovers.ts'

const PREFIX = '.tmp-'
/** Older temporary files belong to killed processes: no backup, upload or restore takes this long. */
const LEFT_BEHIND_MS = 86_400_000

/** Runs `work` with a new path in the backups folder and removes the file afterwards. */
export async function withTemporary<T>(folder: string, purpose: string, work: (path: string) => Promise<T>) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${PREFIX}${purpose}-${randomUUID()}`)
  try {
    return await work(path)
  } finally {
    await rm(path, { force: true })
  }
}

export const removeTemporary = (folder: string) => removeLeftovers(folder, PREFIX, LEFT_BEHIND_MS)
