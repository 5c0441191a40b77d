import { MAX_WAIT_MS } from './limits.ts'

/**
 * Waits for a turn. `queue` gets the function that ends the wait and returns the one that leaves the queue.
 * Rejects with `refusal` after MAX_WAIT_MS.
 */
export function waitForTurn<T>(queue: (enter: (value: T) => void) => () => void, refusal: () => Error) {
  return new Promise<T>((resolve, reject) => {
    const late = setTimeout(() => {
      leave()
      reject(refusal())
    }, MAX_WAIT_MS)
    const leave = queue((value) => {
      clearTimeout(late)
      resolve(value)
    })
  })
}
