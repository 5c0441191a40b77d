import { randomFillSync } from 'node:crypto'

const pool = new Uint32Array(1024)
let used = pool.length
const RANGE = 2 ** 32

/** A uniformly random integer from 0 up to but excluding `limit`, from the system's random source. */
export function randomBelow(limit: number): number {
  const fair = RANGE - (RANGE % limit)
  for (;;) {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const value = pool[used++]!
    if (value < fair) return value % limit
  }
}

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const LOWERCASE = 'abcdefghijklmnopqrstuvwxyz0123456789'

function randomFrom(alphabet: string, length: number): string {
  let text = ''
  for (let i = 0; i < length; i++) text += alphabet[randomBelow(alphabet.length)]
  return text
}

/** Random letters and digits: secrets, token keys. PocketBase: tools/security/random.go */
export const randomText = (length: number): string => randomFrom(ALPHANUMERIC, length)

/** A record id: 15 of `[a-z0-9]`. */
export const randomId = (length = 15): string => randomFrom(LOWERCASE, length)
