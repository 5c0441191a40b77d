/** Signals within this time count as one: terminals, systemd and npm forward them. */
const TOGETHER_MS = 1_000

/** Calls `stop` at the first SIGINT or SIGTERM. A later one ends the process at once. */
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
