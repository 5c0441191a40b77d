import { readFileSync } from 'node:fs'

/** As Linux has it; other systems have no /proc and get no answer. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Resident memory of a process in MB; undefined where the system does not tell. */
export function residentMb(pid: number): number | undefined {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
}

/**
 * Memory of a process in MB, in which a page that several share counts in parts; 0 where the system does not
 * tell. proc(5), Pss
 */
export function proportionalMb(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readProc(pid, 'smaps_rollup'))?.[1] ?? 0) / 1024
}

/**
 * Hundredths of a second that a process has computed so far; 0 where the system does not tell. `withEnded`:
 * and its children that have ended. proc(5), utime, stime, cutime, cstime
 */
export function computed(pid: number, withEnded = false): number {
  const [, rest = ''] = readProc(pid, 'stat').split(') ')
  const times = rest.split(' ').slice(11, withEnded ? 15 : 13)
  return times.reduce((sum, ticks) => sum + Number(ticks), 0)
}

const LOOK_MS = 200
/** Of a look: a process that computes less is idle. */
const IDLE_TICKS = 4
const PATIENCE_MS = 40_000

/**
 * Waits until a process no longer works on requests whose client has gone: the next one measured shall not
 * suffer.
 */
export async function settle(pid: number): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    const before = computed(pid)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    if (computed(pid) - before < IDLE_TICKS) return
  }
}
