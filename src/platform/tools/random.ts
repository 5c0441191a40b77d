import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const LETTERS = 'abcdefghjkmnpqrstuvwxyz'
const LOWERCASE = 'abcdefghijklmnopqrstuvwxyz0123456789'

function pickRandom(alphabet: string, length: number): string {
  let text = ''
  for (let i = 0; i < length; i++) text += alphabet[randomInt(alphabet.length)]
  return text
}

/** Random letters and digits, for secrets and token keys. PocketBase: tools/security/random.go */
export const makeRandomText = (length: number): string => pickRandom(ALPHANUMERIC, length)

export const makeRandomDigits = (length: number): string => pickRandom('0123456789', length)

/** Random letters without those that look alike, for codes that people write down. */
export const makeRandomLetters = (length: number): string => pickRandom(LETTERS, length)

/** A record id: 15 characters of `[a-z0-9]`. */
export const makeRandomId = (length = 15): string => pickRandom(LOWERCASE, length)

/** CRC-32 (IEEE) of a text's UTF-8 bytes, in decimal. PocketBase makes ids from it: core/db.go */
export const computeChecksum = (text: string) => String(crc32(text))

/** A record id derived from a text: 15 characters of `[a-z0-9]`, with 77 bits of its SHA-256. */
export const deriveId = (text: string): string => {
  const digest = createHash('sha256').update(text).digest('hex')
  return BigInt(`0x${digest.slice(0, 20)}`)
    .toString(36)
    .padStart(15, '0')
    .slice(-15)
}
