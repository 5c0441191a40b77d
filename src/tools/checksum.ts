import { crc32 } from 'node:zlib'

/** CRC-32 (IEEE) of a text's UTF-8 bytes in decimal; PocketBase makes ids of it. PocketBase: core/db.go */
export const checksum = (text: string) => String(crc32(text))
