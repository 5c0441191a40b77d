import {
  constants,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'

const MAX_BYTES = 1_000_000
const TAIL_BYTES = 4_000
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants

/** The log file. Its folder is the server's own: the account that runs Postgres may not change it. */
const makeLogPath = (folder: string) => join(folder, 'postgres.log')

export const logBytes = (folder: string): number =>
  statSync(makeLogPath(folder), { throwIfNoEntry: false })?.size ?? 0

export function openLog(folder: string): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  limitLog(folder)
  return openSync(makeLogPath(folder), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
}

/** Copies a large log to a second file, then empties it. A renamed log would still be written to. */
export function limitLog(folder: string): void {
  if (logBytes(folder) < MAX_BYTES) return
  const path = makeLogPath(folder)
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
}

/** The end of the log, without text before byte `start`. */
export function readLogTail(folder: string, start = 0): string {
  const bytes = logBytes(folder)
  const from = Math.max(start > bytes ? 0 : start, bytes - TAIL_BYTES)
  return bytes === 0 ? '' : readFileSync(makeLogPath(folder)).toString('utf8', from)
}
