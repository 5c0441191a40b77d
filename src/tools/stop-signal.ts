/**
 * So close together two signals are one: a terminal and systemd signal parent and child, and npm and
 * bin/pocketsms.js pass theirs on.
 */
const TOGETHER_MS = 1_000

/**
 * Calls `stop` at the first SIGINT or SIGTERM. One that comes later, from somebody who will not wait, ends
 * the process at once.
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
}
