import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_MS = 60_000
/** Until a process has been idle once: its start has grown the space of young objects. */
const FIRST_LOOK_MS = 5_000
/** A process that computes less than this share of the time is idle. */
const IDLE_SHARE = 0.02
/** The space of young objects that an idle process may keep. It grows to 33 MB under load, as in a start. */
const KEPT_BYTES = 8 << 20

/**
 * Returns unused memory to the system whenever this process has been idle for a minute after work, and for
 * five seconds after its start: V8 keeps it until the next work. After a start, a server then takes 115 MB,
 * of which 59 are the mapped program of Node, instead of 148. Takes 0.1 s.
 */
export function releaseMemoryWhenIdle(): void {
  let [before, beganMs] = [process.cpuUsage(), performance.now()]
  const look = () => {
    const { user, system } = process.cpuUsage(before)
    const isIdle = (user + system) / 1_000 < IDLE_SHARE * (performance.now() - beganMs)
    ;[before, beganMs] = [process.cpuUsage(), performance.now()]
    if (isIdle && measureYoungSpace() > KEPT_BYTES) releaseMemory()
    return isIdle
  }
  const first = setInterval(() => look() && clearInterval(first), FIRST_LOOK_MS).unref()
  setInterval(look, LOOK_MS).unref()
}

export function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: NodeJS.GCFunction = runInNewContext('gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

export const measureYoungSpace = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
