import {
  closeSync,
  constants,
  copyFileSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'

/** Maximum size of a file. At most two are kept. */
const MAX_BYTES = 1_000_000
const TAIL_BYTES = 4_000
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants

/** The log of Postgres, in a folder of the server's own: the account that runs Postgres may not change it. */
export class LogFile {
  readonly #folder: string
  readonly path: string

  constructor(folder: string) {
    this.#folder = folder
    this.path = join(folder, 'postgres.log')
  }

  get bytes(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Opens the log for the standard error of a process. */
  open(): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    this.limit()
    return openSync(this.path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
  }

  /** Moves a large log's content to a second file. Processes keep appending to this one. */
  limit(): void {
    if (this.bytes < MAX_BYTES) return
    copyFileSync(this.path, `${this.path}.1`)
    truncateSync(this.path)
  }

  /** The end of the log, without text before byte `start`. */
  tail(start = 0): string {
    const { bytes } = this
    const from = Math.max(start > bytes ? 0 : start, bytes - TAIL_BYTES)
    if (from >= bytes) return ''
    const buffer = Buffer.alloc(bytes - from)
    const file = openSync(this.path, 'r')
    const read = readSync(file, buffer, 0, buffer.length, from)
    closeSync(file)
    return buffer.toString('utf8', 0, read)
  }
}
