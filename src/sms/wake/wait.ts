import { counts } from '../../counts.ts'
import { WakeSignal } from '../../tools/wake-signal.ts'
import { onDeviceEvent } from './wake.ts'

/** A waiting claim repeats this often: a wake-up may be lost, a limit may have ended. */
const LOOK_MS = 5_000

/** Calls `claim` until it returns something, for `waitMs` or until `ended`; a wake-up ends a pause. */
export async function waitForAny<T>(
  claim: () => Promise<T[]>,
  device: string,
  waitMs: number,
  ended: AbortSignal,
): Promise<T[]> {
  const end = performance.now() + waitMs
  const signal = new WakeSignal()
  const stop = onDeviceEvent(device, () => {
    counts.wakes.long_poll++
    signal.notify()
  })
  try {
    for (;;) {
      const found = await claim()
      const leftMs = end - performance.now()
      if (found.length > 0 || leftMs <= 0) return found
      await signal.wait(Math.min(leftMs, LOOK_MS), ended)
      if (ended.aborted) return []
    }
  } finally {
    stop()
  }
}
