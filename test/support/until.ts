import { setTimeout as sleep } from 'node:timers/promises'

const INTERVAL_MS = 20

type Truthy<T> = Exclude<T, false | null | undefined>

/** Asks again and again until the result is truthy, and returns it. Throws after `withinMs`. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  withinMs = 40_000,
): Promise<Truthy<T>> {
  for (const end = performance.now() + withinMs; ; await sleep(INTERVAL_MS)) {
    const result = await ask()
    if (result) return result as Truthy<T>
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`)
  }
}
