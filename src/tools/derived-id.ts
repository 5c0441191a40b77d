import { createHash } from 'node:crypto'

/** A record id derived from a text: 15 of [0-9a-z] out of SHA-256, 77 bits. */
export const derivedId = (text: string): string => {
  const digest = createHash('sha256').update(text).digest('hex')
  return BigInt(`0x${digest.slice(0, 20)}`)
    .toString(36)
    .padStart(15, '0')
    .slice(-15)
}
