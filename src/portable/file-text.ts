/**
 * Decodes a text file: as UTF-16 if it begins with a UTF-16 byte order mark, as UTF-8 if it is valid UTF-8,
 * and otherwise as Windows-1252, which older programs write. A vCard's letters are made whole first.
 */
export function decodeFileText(bytes: ArrayBuffer | Uint8Array): string {
  const file = new Uint8Array(bytes)
  const [first, second] = file
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(file)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(file)
  const whole = isVcardFile(file) ? joinCutLetters(file) : file
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(whole)
  } catch {
    return new TextDecoder('windows-1252').decode(whole)
  }
}

const isVcardFile = (file: Uint8Array) =>
  /^(?:\u00ef\u00bb\u00bf)?\s*BEGIN:VCARD/i.test(String.fromCharCode(...file.subarray(0, 100)))

const [TAB, LINE_FEED, RETURN, BLANK] = [0x09, 0x0a, 0x0d, 0x20]

/** Takes breaks and blanks out of letters: old programs fold lines between bytes of UTF-8 (RFC 6350 3.2). */
function joinCutLetters(file: Uint8Array): Uint8Array {
  const joined = new Uint8Array(file.length)
  let length = 0
  for (let at = 0; at < file.length; at++) {
    const isBreak = file[at] === LINE_FEED || file[at] === RETURN
    if (isBreak && isWithinLetter(joined, length)) at = skipFold(file, at)
    joined[length++] = file[at]!
  }
  return joined.subarray(0, length)
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

function isWithinLetter(bytes: Uint8Array, end: number): boolean {
  let begin = end - 1
  while (begin > 0 && end - begin < 4 && isContinuation(bytes[begin])) begin--
  const lead = begin < 0 ? 0 : bytes[begin]!
  const size = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1
  return end - begin < size
}

/** The index of the byte that continues a letter behind a fold; `at` if none does. */
function skipFold(file: Uint8Array, at: number): number {
  let next = at + (file[at] === RETURN && file[at + 1] === LINE_FEED ? 2 : 1)
  while (file[next] === BLANK || file[next] === TAB) next++
  return isContinuation(file[next]) ? next : at
}
