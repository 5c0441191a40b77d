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

/** The file is rewritten when it has this much more than twice the bytes of the last rewrite. */
const MAX_SPARE_BYTES = 2 << 20
/** Characters to write at a time: a string holds at most 512 MiB. */
const CHUNK_LENGTH = 1 << 20

/** Ends a partly written line, so that it is invalid JSON even if only the line break is missing. */
const TORN = '~\n'

/** Lines written within this time share a sync, which takes about 1 ms. */
const SYNC_MS = 10
const LF = 10

/** A file of JSON lines that survives a kill. `read` gets its lines, `live` returns those to keep. */
export function openLineFile<Entry>(file: string, read: (entry: Entry) => void, live: () => Iterable<Entry>) {
  let bytes = 0
  let maxBytes = 0
  let isTorn = false
  let synced: Promise<void> | undefined

  for (const line of linesOf(file)) {
    const entry = parseJson(line) as Entry | undefined
    if (entry) read(entry) // not a line that a crash left incomplete
  }
  let descriptor = rewrite()

  /** Writes the live entries to a new file that replaces the old one; on an error the old one stays. */
  function rewrite(): number {
    const temporary = `${file}.new`
    const rewritten = openSync(temporary, 'w', 0o600)
    try {
      let written = 0
      let chunk = ''
      const write = () => {
        // Not writeSync, which writes only a part on a full disk without an error.
        writeFileSync(rewritten, chunk)
        written += Buffer.byteLength(chunk)
        chunk = ''
      }
      for (const entry of live()) {
        chunk += `${JSON.stringify(entry)}\n`
        if (chunk.length > CHUNK_LENGTH) write()
      }
      write()
      fdatasyncSync(rewritten)
      renameSync(temporary, file)
      bytes = written
      maxBytes = 2 * bytes + MAX_SPARE_BYTES
      isTorn = false
      return rewritten
    } catch (error) {
      closeSync(rewritten)
      throw error
    }
  }

  /** Writes a line, or throws. Call it before `live` has the entry. Resolves when it is on the disk. */
  function append(entry: Entry): Promise<void> {
    if (bytes > maxBytes) shrink()
    const line = `${isTorn ? TORN : ''}${JSON.stringify(entry)}\n`
    isTorn = true
    writeFileSync(descriptor, line)
    isTorn = false
    bytes += Buffer.byteLength(line)
    synced ??= new Promise((resolve, reject) => setTimeout(() => sync(resolve, reject), SYNC_MS))
    return synced
  }

  function shrink(): void {
    const old = descriptor
    try {
      descriptor = rewrite()
      closeSync(old)
    } catch {
      maxBytes = bytes + MAX_SPARE_BYTES // no disk space for both files: the old one keeps growing
    }
  }

  function sync(resolve: () => void, reject: (error: unknown) => void): void {
    synced = undefined
    try {
      if (descriptor >= 0) fdatasyncSync(descriptor)
      resolve()
    } catch (error) {
      reject(error)
    }
  }

  function close(): void {
    fdatasyncSync(descriptor)
    closeSync(descriptor)
    descriptor = -1
  }

  return { append, close }
}

function* linesOf(file: string): Iterable<string> {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
  let start = 0
  for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
    yield bytes.toString('utf8', start, end)
    start = end + 1
  }
}
