import type { Budget } from '../../platform/limits/byte-budget.ts'

/** Runs work in lanes: queues that run one work after another. A slow statement delays only its own lane. */
export function makeLanes(memory: Budget) {
  const lanes = new Map<string, Promise<void>>()
  return {
    /** Adds `work`, which must not reject, to a lane. Returns false if no memory is left for waiting work. */
    add(lane: string, bytes: number, work: () => Promise<void>): boolean {
      const before = lanes.get(lane)
      const share = memory.open(lane)
      if (before && !share.tryTake(bytes)) return false
      const run = (before ?? Promise.resolve()).then(work).finally(() => {
        share.close()
        if (lanes.get(lane) === run) lanes.delete(lane)
      })
      lanes.set(lane, run)
      return true
    },
    whenIdle: () => Promise.all(lanes.values()),
  }
}
