import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The files below a folder that contain one of these words. */
export function filesWith(folder: string, words: readonly string[]): string[] {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((one) => one.isFile())
  return files
    .map((one) => join(one.parentPath, one.name))
    .filter((file) => {
      const bytes = contentOf(file)
      return words.some((word) => bytes.includes(word))
    })
    .map((file) => relative(folder, file))
    .sort()
}

/** Postgres may delete a file meanwhile: it has no words then. */
function contentOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.of()
    throw error
  }
}
