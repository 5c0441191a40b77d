import { open } from 'node:fs/promises'

/** Syncs a folder, to make file names in it durable. Does nothing where folders cannot be synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
