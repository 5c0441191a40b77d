import { globSync, lstatSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PORT } from './cluster-location.ts'
import { tryReadText } from './system-account.ts'

/** The file whose first line is the process id of the postmaster, Postgres' first process. */
const PID_FILE = 'postmaster.pid'
const LOCK_FILE = `.s.PGSQL.${PORT}.lock`
/** A PID file that stays empty this long was left by a crash. */
const EMPTY_MS = 2_000
const LOOK_MS = 25
const POLITE_MS = 5_000

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The process id of a folder's running postmaster, if any. Deletes stale files that prevent a start. */
export function findPostmaster(folder: string): number | undefined {
  const pid = readPostmasterPid(folder)
  if (!pid) removeEmptyFiles(folder)
  if (!pid || !isProcessAlive(pid)) return undefined
  if (isPostmaster(pid, folder)) return pid
  if (readPostmasterPid(folder) === pid)
    for (const file of [LOCK_FILE, PID_FILE]) rmSync(join(folder, file), { force: true })
  return undefined
}

function readPostmasterPid(folder: string): number {
  return Number.parseInt(tryReadText(join(folder, PID_FILE)) ?? '', 10)
}

function removeEmptyFiles(folder: string): void {
  for (const path of [LOCK_FILE, PID_FILE].map((file) => join(folder, file))) {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.size === 0 && Date.now() - found.mtimeMs > EMPTY_MS) rmSync(path, { force: true })
  }
}

/** Whether a process is this folder's postmaster: the PID file may be forged or old. True if not on Linux. */
function isPostmaster(pid: number, folder: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return words.includes(folder) && isOfOwner(pid, folder)
  } catch {
    return process.platform !== 'linux'
  }
}

const isOfOwner = (pid: number, folder: string) =>
  statSync(`/proc/${pid}`).uid === statSync(folder).uid

/** Stops the postmaster of a folder and rolls back running transactions. Kills it after `ms`. */
export async function endPostmaster(folder: string, ms = POLITE_MS): Promise<void> {
  const pid = findPostmaster(folder)
  if (!pid) return
  sendSignal(pid, 'SIGINT')
  // isAlive is not enough: in a container without an init, an ended process remains as a zombie
  for (const end = Date.now() + ms; isProcessAlive(pid) && isPostmaster(pid, folder); ) {
    if (Date.now() > end) sendSignal(pid, 'SIGKILL')
    await sleep(LOOK_MS)
  }
}

/** Kills Postgres processes that outlived their postmaster, such as one with a long statement. Linux only. */
export function endOrphans(folder: string): void {
  for (const path of globSync('/proc/[0-9]*/cwd')) {
    try {
      const pid = Number(path.split('/')[2])
      const program = basename(readlinkSync(`/proc/${pid}/exe`))
      if (readlinkSync(path) !== folder || !program.startsWith('postgres')) continue
      if (isOfOwner(pid, folder)) sendSignal(pid, 'SIGKILL')
    } catch {} // it has ended, or belongs to another account
  }
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {} // it has ended
}
