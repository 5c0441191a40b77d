import { open } from 'node:fs/promises'

/** Writes what comes into a new file, a piece at a time. */
export async function fetchFile(content: AsyncIterable<Buffer>, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const piece of content) await file.writeFile(piece)
  } finally {
    await file.close()
  }
}
