/**
 * Decodes a text file: as UTF-16 if it begins with a UTF-16 byte order mark, as UTF-8 if it is valid UTF-8,
 * and otherwise as Windows-1252, which older programs write.
 */
export function decodeFileText(bytes: ArrayBuffer | Uint8Array): string {
  const [first, second] = new Uint8Array(bytes)
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
