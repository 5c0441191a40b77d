import { randomInt } from 'node:crypto'

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const LOWERCASE = 'abcdefghijklmnopqrstuvwxyz0123456789'

function randomFrom(alphabet: string, length: number): string {
  let text = ''
  for (let i = 0; i < length; i++) text += alphabet[randomInt(alphabet.length)]
  return text
}

/** Random letters and digits: secrets, token keys. PocketBase: tools/security/random.go */
export const randomText = (length: number): string => randomFrom(ALPHANUMERIC, length)

/** A record id: 15 of `[a-z0-9]`. */
export const randomId = (length = 15): string => randomFrom(LOWERCASE, length)
