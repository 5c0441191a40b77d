import { crc32 } from 'node:zlib'

/** Decimal CRC-32 (IEEE) of a text's UTF-8 bytes: what PocketBase makes ids of. PocketBase: core/db.go */
export const checksum = (text: string) => String(crc32(text))
