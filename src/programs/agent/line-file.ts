import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { parseJson } from '../../platform/tools/json.ts'

/** The file is rewritten once it is larger than this plus twice its size after the last rewrite. */
const MAX_SPARE_BYTES = 2 << 20
/** Characters to write at a time: the whole file may be longer than a string can be. */
const CHUNK_LENGTH = 1 << 20

/** Ends a partly written line. `~` makes it invalid JSON even if only the line break was missing. */
const TORN = '~\n'

/** Lines written within this time share one sync to the disk, which takes about 1 ms. */
const SYNC_MS = 10
const LF = 10

/**
 * Opens a file of JSON lines that survives a crash, and calls `read` for each line. A file that grew large is
 * rewritten with only the entries that `live` returns.
 */
export function openLineFile<Entry>(
  file: string,
  read: (entry: Entry) => void,
  live: () => Iterable<Entry>,
) {
  let bytes = 0
  let maxBytes = 0
  let isTorn = false
  let synced: Promise<void> | undefined

  for (const line of readFileLines(file)) {
    const entry = parseJson(line) as Entry | undefined
    if (entry) read(entry) // not a line that a crash left incomplete
  }
  let descriptor = rewrite()

  /** Writes the entries of `live` to a new file, which then replaces the old file. */
  function rewrite(): number {
    const temporary = `${file}.new`
    const rewritten = openSync(temporary, 'w', 0o600)
    try {
      let written = 0
      let chunk = ''
      const write = () => {
        // not writeSync, which may write only a part and then returns its length instead of throwing
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

  /** Writes a line, or throws. Resolves when it is on disk. `live` returns the entry only after the call. */
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

function* readFileLines(file: string): Iterable<string> {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
  let start = 0
  for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
    yield bytes.toString('utf8', start, end)
    start = end + 1
  }
}
