const stops: (() => Promise<void>)[] = []

/**
 * Runs `stop` once: after the last test of the file, the newest first, or when the returned function is
 * called.
 */
export function stopLater(stop: () => unknown): () => Promise<void> {
  let stopped: Promise<void> | undefined
  const once = () => {
    stopped ??= Promise.resolve(stop()).then(() => {})
    return stopped
  }
  stops.push(once)
  return once
}

/** Stops what still runs. */
export async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop()
}
