import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { seal } from '../../platform/age/seal.ts'

/**
 * Creates a ZIP file whose entries are written one by one, sealed if there are recipients. When `signal`
 * aborts, pending promises reject.
 */
export function openZip(path: string, signal?: AbortSignal, recipients: readonly string[] = []) {
  const zip = new ZipFile()
  // readable only by its owner: it contains keys and password hashes
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  const zipped = zip.outputStream as Readable
  const content = recipients.length > 0 ? Readable.from(seal(zipped, recipients)) : zipped
  const written = pipeline(content, file, { signal })
  const failed = new Promise<never>((_, reject) => {
    written.catch(reject)
    zip.on('error', reject)
  })
  failed.catch(() => {}) // `add` or `end` rejects with it
  return {
    /** Writes an entry. Resolves when all of `content` is read. Rejects with an error of `content`. */
    async add(
      name: string,
      content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    ): Promise<void> {
      const stream = Readable.from(content, { objectMode: false })
      zip.addReadStream(stream, name, { mode: 0o100600 })
      try {
        await Promise.race([finished(stream), failed])
      } finally {
        stream.destroy()
      }
    },
    /** Ends the file; resolves when all of it is on the disk. */
    async end(): Promise<void> {
      zip.end()
      await Promise.race([written, failed])
    },
    async abandon(): Promise<void> {
      zipped.destroy()
      await written.catch(() => {})
    },
  }
}
