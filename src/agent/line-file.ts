import { closeSync, existsSync, fdatasyncSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { parseJson } from '../tools/json.ts'

/** The file is rewritten when it has this much more than twice the bytes of the last rewrite. */
const MAX_SPARE_BYTES = 2 << 20
/** Bytes to read and write at a time: a string holds at most 512 MiB. */
const CHUNK_BYTES = 1 << 20

/** Ends a partly written line, so that it is invalid JSON even if only the line break is missing. */
const TORN = '~\n'

/** Lines written within this time share a sync, which takes about 1 ms. */
const SYNC_MS = 10
const LF = 10

/** A file of JSON lines that survives a kill and a power cut. */
export class LineFile<Entry> {
  readonly #file: string
  readonly #live: () => Iterable<Entry>
  #descriptor: number
  #bytes = 0
  #maxBytes = 0
  /** Whether the last line was written only in part. */
  #isTorn = false
  #synced: Promise<void> | undefined

  /** @param read called for each line in the file. @param live returns the entries that a rewrite keeps. */
  constructor(file: string, read: (entry: Entry) => void, live: () => Iterable<Entry>) {
    this.#file = file
    this.#live = live
    for (const line of linesOf(file)) {
      const entry = parseJson(line) as Entry | undefined
      if (entry) read(entry) // an incomplete line, followed by another one
    }
    this.#descriptor = this.#rewrite()
  }

  /** Writes the live entries to a new file that replaces the old one; on an error the old one stays. */
  #rewrite(): number {
    const temporary = `${this.#file}.new`
    const descriptor = openSync(temporary, 'w', 0o600)
    try {
      let bytes = 0
      let chunk = ''
      const write = () => {
        // Not writeSync, which writes only a part on a full disk without an error.
        writeFileSync(descriptor, chunk)
        bytes += Buffer.byteLength(chunk)
        chunk = ''
      }
      for (const entry of this.#live()) {
        chunk += `${JSON.stringify(entry)}\n`
        if (chunk.length > CHUNK_BYTES) write()
      }
      write()
      fdatasyncSync(descriptor)
      renameSync(temporary, this.#file)
      this.#bytes = bytes
      this.#maxBytes = 2 * bytes + MAX_SPARE_BYTES
      this.#isTorn = false
      return descriptor
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
  }

  /**
   * Writes a line at once, or throws: call it before adding the entry to the live ones. Resolves when the
   * line is on the disk.
   */
  append(entry: Entry): Promise<void> {
    if (this.#bytes > this.#maxBytes) this.#shrink()
    const line = `${this.#isTorn ? TORN : ''}${JSON.stringify(entry)}\n`
    this.#isTorn = true
    writeFileSync(this.#descriptor, line)
    this.#isTorn = false
    this.#bytes += Buffer.byteLength(line)
    this.#synced ??= new Promise((resolve, reject) => setTimeout(() => this.#sync(resolve, reject), SYNC_MS))
    return this.#synced
  }

  #shrink(): void {
    const old = this.#descriptor
    try {
      this.#descriptor = this.#rewrite()
      closeSync(old)
    } catch {
      this.#maxBytes = this.#bytes + MAX_SPARE_BYTES // no disk space for both files: the old one keeps growing
    }
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

/** The complete lines of a file; none if it does not exist. */
function* linesOf(file: string): Iterable<string> {
  if (!existsSync(file)) return
  const descriptor = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    let begun: Buffer[] = []
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
      let start = 0
      for (let end = chunk.indexOf(LF); end >= 0 && end < read; end = chunk.indexOf(LF, start)) {
        yield Buffer.concat([...begun, chunk.subarray(start, end)]).toString()
        begun = []
        start = end + 1
      }
      begun.push(Buffer.from(chunk.subarray(start, read)))
    }
  } finally {
    closeSync(descriptor)
  }
}
