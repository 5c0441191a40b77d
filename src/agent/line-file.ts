import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { parseJson } from '../tools/json.ts'

/** The file is rewritten when it has this many lines more than twice those of the last rewrite. */
const MAX_SPARE_LINES = 10_000

/** Lines of this time share a sync, which takes about 1 ms. */
const SYNC_MS = 10

/** A file of JSON lines that survives a kill and a power cut. */
export class LineFile<Entry> {
  readonly #file: string
  readonly #live: () => Iterable<Entry>
  #descriptor: number
  #lines = 0
  #maxLines = 0
  /** The last line was written in part. */
  #isTorn = false
  #synced: Promise<void> | undefined

  /** @param read called for each line in the file. @param live returns the entries that a rewrite keeps. */
  constructor(file: string, read: (entry: Entry) => void, live: () => Iterable<Entry>) {
    this.#file = file
    this.#live = live
    if (existsSync(file))
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        const entry = parseJson(line) as Entry | undefined
        if (entry) read(entry) // else empty, or torn by a kill
      }
    this.#descriptor = this.#rewrite()
  }

  /** Writes the live entries to a new file that replaces the old one; on an error the old one stays. */
  #rewrite(): number {
    const entries = [...this.#live()]
    const temporary = `${this.#file}.new`
    const descriptor = openSync(temporary, 'w', 0o600)
    // Not writeSync, which writes only a part on a full disk without an error.
    writeFileSync(descriptor, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    fdatasyncSync(descriptor)
    renameSync(temporary, this.#file)
    this.#lines = entries.length
    this.#maxLines = 2 * entries.length + MAX_SPARE_LINES
    return descriptor
  }

  /** Writes a line at once. Resolves when it is on the disk. */
  append(entry: Entry): Promise<void> {
    const before = this.#isTorn ? '\n' : ''
    this.#isTorn = true
    writeFileSync(this.#descriptor, `${before}${JSON.stringify(entry)}\n`)
    this.#isTorn = false
    if (++this.#lines > this.#maxLines) {
      const old = this.#descriptor
      this.#descriptor = this.#rewrite()
      closeSync(old)
    }
    this.#synced ??= new Promise((resolve, reject) => setTimeout(() => this.#sync(resolve, reject), SYNC_MS))
    return this.#synced
  }

  #sync(resolve: () => void, reject: (error: unknown) => void): void {
    this.#synced = undefined
    try {
      if (this.#descriptor >= 0) fdatasyncSync(this.#descriptor)
      resolve()
    } catch (error) {
      reject(error)
    }
  }

  close(): void {
    fdatasyncSync(this.#descriptor)
    closeSync(this.#descriptor)
    this.#descriptor = -1
  }
}
