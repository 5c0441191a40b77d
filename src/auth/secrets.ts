import { createHash, randomInt } from 'node:crypto'

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const DIGITS = '1234567890'

/** Unpredictable text of `length` characters out of `alphabet`, each equally likely. */
export function randomText(length: number, alphabet = LETTERS_AND_DIGITS): string {
  let text = ''
  for (let i = 0; i < length; i++) text += alphabet[randomInt(alphabet.length)]
  return text
}

/** A code to be typed from a mail. */
export const randomDigits = (length: number) => randomText(length, DIGITS)

/** SHA-256 in hex: for secrets that are long and random, so that nobody can guess them from the hash. */
export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** MD5 in hex, only for the fingerprints of `_authOrigins`, as PocketBase stores them. */
export const md5 = (text: string) => createHash('md5').update(text).digest('hex')
