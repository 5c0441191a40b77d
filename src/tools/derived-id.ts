import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** CRC-32 (IEEE) of a text's UTF-8 bytes in decimal; PocketBase makes ids of it. PocketBase: core/db.go */
export const checksum = (text: string) => String(crc32(text))

/** A record id derived from a text: 15 of [0-9a-z] out of SHA-256, 77 bits. */
export const derivedId = (text: string): string => {
  const digest = createHash('sha256').update(text).digest('hex')
  return BigInt(`0x${digest.slice(0, 20)}`)
    .toString(36)
    .padStart(15, '0')
    .slice(-15)
}
