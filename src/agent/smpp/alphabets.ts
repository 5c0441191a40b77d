import { gsm } from './library.ts'

interface Alphabet {
  /** SMPP 3.4, 5.2.19 */
  readonly dataCoding: number
  /** Maximum bytes of a single-part text, and of each of several parts without their 6-byte header. */
  readonly alone: number
  readonly part: number
  /** A character's bytes, undefined if the alphabet lacks it. */
  bytesOf(char: string): Buffer | undefined
}

/**
 * Bytes of each GSM character. Those of the extension table have two: an escape and a code. 3GPP TS 23.038,
 * 6.2.1
 */
const GSM_BYTES = new Map<string, Buffer>()
for (let code = 0; code < 0x2100; code++) {
  const char = String.fromCharCode(code)
  if (char !== '\x1b' && gsm.match(char)) GSM_BYTES.set(char, gsm.encode(char))
}

/** Septets are sent as bytes: the carrier packs them. */
const GSM: Alphabet = { dataCoding: 0, alone: 160, part: 153, bytesOf: (char) => GSM_BYTES.get(char) }
const LATIN1: Alphabet = {
  dataCoding: 3,
  alone: 140,
  part: 134,
  bytesOf: (char) => (char <= 'ÿ' ? Buffer.from(char, 'latin1') : undefined),
}
const UCS2: Alphabet = {
  dataCoding: 8,
  alone: 140,
  part: 134,
  bytesOf: (char) => Buffer.from(char, 'utf16le').swap16(),
}

/** Parts of a text in the alphabet, else in UCS-2. Never splits an escape or a surrogate pair. */
export function encode(text: string, alphabet: 'gsm' | 'latin1', isOnePart: boolean) {
  const small = alphabet === 'gsm' ? GSM : LATIN1
  const chars = [...text]
  const { dataCoding, alone, part, bytesOf } = chars.every((char) => small.bytesOf(char)) ? small : UCS2
  const all = chars.map((char) => bytesOf(char)!)
  const whole = Buffer.concat(all)
  const isLong = whole.length > alone
  if (isOnePart || !isLong) return { dataCoding, isLong, parts: [whole] }
  const parts: Buffer[][] = [[]]
  let room = part
  for (const bytes of all) {
    if (bytes.length > room) {
      parts.push([])
      room = part
    }
    parts.at(-1)!.push(bytes)
    room -= bytes.length
  }
  return { dataCoding, isLong, parts: parts.map((each) => Buffer.concat(each)) }
}

/** Decodes an incoming message. Codings other than GSM and UCS-2 are read as Latin-1. */
export function decode(bytes: Buffer, dataCoding: number, fallback: 'gsm' | 'latin1'): string {
  // Message classes follow 3GPP TS 23.038, 4.
  const isClass = (dataCoding & 0xf4) === 0xf0 || (dataCoding >= 0x10 && (dataCoding & 0xcc) === 0)
  if ((dataCoding === 0 && fallback === 'gsm') || isClass) return gsm.decode(bytes).replaceAll('\x1b', '')
  if ((dataCoding & 0xcc) !== 0x08) return bytes.toString('latin1')
  const even = Buffer.from(bytes.subarray(0, bytes.length & ~1))
  return even.swap16().toString('utf16le')
}
