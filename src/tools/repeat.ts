import { setTimeout as sleep } from 'node:timers/promises'

interface FailureLog {
  error(details: { readonly err: unknown }, message: string): void
}

/** Repeats work and rest; the returned function stops it after the work. Logs the first failure in a row. */
export function repeat(
  work: () => Promise<unknown>,
  rest: number | ((ended: AbortSignal) => Promise<void>),
  log: FailureLog,
  failure = 'a regular job failed, retrying',
): () => Promise<void> {
  const ending = new AbortController()
  const { signal } = ending
  const pause =
    typeof rest === 'number' ? () => sleep(rest, undefined, { signal }).catch(() => {}) : () => rest(signal)
  const loop = async () => {
    for (let isFailing = false; !signal.aborted; await pause()) {
      try {
        await work()
        isFailing = false
      } catch (err) {
        if (!isFailing) log.error({ err }, failure)
        isFailing = true
      }
    }
  }
  const running = loop()
  return async () => {
    ending.abort()
    await running
  }
}
