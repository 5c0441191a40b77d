import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Progress } from './progress.ts'

/**
 * Copies the files of a PocketBase data directory, a folder a collection, and answers how many they are. The same
 * again copies the same. Thumbnails are made anew when they are asked for, so they stay behind.
 */
export function copyStorage(folder: string, target: string, progress: Progress): number {
  const source = join(folder, 'storage')
  if (!existsSync(source)) return 0
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/[\\/]thumbs_/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
  files.forEach((file, i) => {
    cpSync(file, join(target, file.slice(source.length)))
    progress('files', i + 1, files.length)
  })
  return files.length
}
