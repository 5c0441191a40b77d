import { readFileSync } from 'node:fs'

/** Signals within this time count as one: npm may repeat a signal of the terminal or systemd. */
const TOGETHER_MS = 1_000
const LOOK_MS = 500
/** How many ancestor processes are checked: at most bin/pocketsms.js, a shell and npm. */
const MOST_LAUNCHERS = 3

/**
 * Calls `stop` at the first SIGINT or SIGTERM, or when the npm or bin/pocketsms.js that started this process
 * has ended: npm passes a signal only to its shell. A later signal ends the process immediately.
 */
export function onStopSignal(stop: (signal: NodeJS.Signals) => void): void {
  let firstMs: number | undefined
  const heard = (signal: NodeJS.Signals) => {
    if (firstMs === undefined) {
      firstMs = performance.now()
      stop(signal)
    } else if (performance.now() - firstMs > TOGETHER_MS) process.exit(1)
  }
  process.on('SIGINT', heard)
  process.on('SIGTERM', heard)
  const launchers = listLaunchers(process.env.POCKETSMS_LAUNCHER)
  if (launchers.length === 0) return
  const timer = setInterval(() => {
    const now = listParentProcesses()
    if (launchers.every((pid, i) => pid === now[i])) return
    clearInterval(timer)
    if (firstMs === undefined) heard('SIGTERM')
  }, LOOK_MS).unref()
}

/** Ids of processes whose end stops this process, the parent first. `bin`: id of bin/pocketsms.js, if any. */
function listLaunchers(bin: string | undefined): number[] {
  delete process.env.POCKETSMS_LAUNCHER // programs that this process starts must not inherit it
  const above = listParentProcesses()
  if (bin) above[0] = Number(bin)
  const npm = above.findIndex((pid) => readProcessStatus(pid, 'cmdline').startsWith('npm '))
  return above.slice(0, Math.max(npm + 1, bin ? 1 : 0))
}

/** Ids of the parent and its parents; only the parent where there is no /proc. */
function listParentProcesses(): number[] {
  const above = [process.ppid]
  while (above.length < MOST_LAUNCHERS) {
    // proc(5): the program's name, in brackets, may contain any character
    const parent = Number(readProcessStatus(above.at(-1)!, 'stat').split(')').at(-1)!.split(' ')[2])
    if (!parent) break
    above.push(parent)
  }
  return above
}

function readProcessStatus(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
