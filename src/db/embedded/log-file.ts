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

// The log of Postgres, in a folder of the server's own: the account that runs Postgres may not change it.

const pathIn = (folder: string) => join(folder, 'postgres.log')

export const logBytes = (folder: string): number =>
  statSync(pathIn(folder), { throwIfNoEntry: false })?.size ?? 0

/** Opens the log for the standard error of a process. */
export function openLog(folder: string): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  limitLog(folder)
  return openSync(pathIn(folder), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
}

/** Moves a large log's content to a second file. Processes keep appending to this one. */
export function limitLog(folder: string): void {
  if (logBytes(folder) < MAX_BYTES) return
  const path = pathIn(folder)
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
}

/** The end of the log, without text before byte `start`. */
export function tailOf(folder: string, start = 0): string {
  const bytes = logBytes(folder)
  const from = Math.max(start > bytes ? 0 : start, bytes - TAIL_BYTES)
  if (from >= bytes) return ''
  const buffer = Buffer.alloc(bytes - from)
  const file = openSync(pathIn(folder), 'r')
  const read = readSync(file, buffer, 0, buffer.length, from)
  closeSync(file)
  return buffer.toString('utf8', 0, read)
}
