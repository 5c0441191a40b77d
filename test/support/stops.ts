const stops: (() => Promise<void>)[] = []

/**
 * Runs `stop` after the last test of the file, the newest first. The function that it returns runs it earlier:
 * it runs once.
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
