import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'

/** A new ZIP file whose entries are written one after the other. Zip64 where the sizes need it. */
export class ZipWriter {
  readonly #zip = new ZipFile()
  readonly #written: Promise<void>
  readonly #failed: Promise<never>

  /** `path` must not be there yet. `signal` ends the writing: what is awaited then rejects. */
  constructor(path: string, signal?: AbortSignal) {
    // only its owner reads it: there are keys and password hashes in it
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
    this.#written = pipeline(this.#zip.outputStream, file, { signal })
    this.#failed = new Promise((_, reject) => {
      this.#written.catch(reject)
      this.#zip.on('error', reject)
    })
    this.#failed.catch(() => {}) // whoever awaits the next entry hears of it
  }

  /** Writes an entry; resolves when all of `content` is read. What `content` throws is thrown on. */
  async add(name: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const stream = Readable.from(content, { objectMode: false })
    this.#zip.addReadStream(stream, name, { mode: 0o100600 })
    try {
      await Promise.race([finished(stream), this.#failed])
    } finally {
      stream.destroy()
    }
  }

  /** Ends the file; resolves when all of it is on the disk. */
  async end(): Promise<void> {
    this.#zip.end()
    await Promise.race([this.#written, this.#failed])
  }

  /** Gives the file up and closes it. */
  async abandon(): Promise<void> {
    ;(this.#zip.outputStream as Readable).destroy()
    await this.#written.catch(() => {})
  }
}
