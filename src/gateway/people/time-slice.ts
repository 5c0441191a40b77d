/** A job releases its place after this time and continues later, so that others have their turn. */
const RUN_MS = 20_000

/** Begins a run. The returned function says whether its time has passed; it throws once `signal` aborts. */
export function startTimeSlice(signal: AbortSignal, runMs = RUN_MS): () => boolean {
  const end = performance.now() + runMs
  return () => {
    signal.throwIfAborted()
    return performance.now() >= end
  }
}
