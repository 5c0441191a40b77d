import { BASIC, ESCAPE, EXTENSION } from './gsm-alphabet.ts'
import type { SmppSettings } from './smpp-settings.ts'

interface Alphabet {
  /** SMPP 3.4, 5.2.19 */
  readonly dataCoding: number
  /** Maximum bytes of a text in a single message. `part`: of each part of a longer text, without header. */
  readonly alone: number
  readonly part: number
  /** A character's bytes; undefined if the alphabet lacks the character. */
  bytesOf(char: string): Buffer | undefined
}

/** Bytes of each GSM character: two in the extension table, else one. */
const GSM_BYTES = new Map<string, Buffer>()
for (const [code, char] of [...BASIC].entries())
  if (code !== ESCAPE) GSM_BYTES.set(char, Buffer.from([code]))
for (const [code, char] of Object.entries(EXTENSION))
  GSM_BYTES.set(char, Buffer.from([ESCAPE, Number(code)]))

/**
 * The GSM alphabet. Each 7-bit character is sent as a byte, and the carrier packs the bits. No language
 * tables: carriers do not say whether they pass on the header that names them.
 */
const GSM: Alphabet = {
  dataCoding: 0,
  alone: 160,
  part: 153,
  bytesOf: (char) => GSM_BYTES.get(char),
}
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

/** Encodes a text in the alphabet, else in UCS-2. Never splits an escape sequence or surrogate pair. */
export function encodeSmsText(text: string, alphabet: 'gsm' | 'latin1', isOnePart: boolean) {
  const small = alphabet === 'gsm' ? GSM : LATIN1
  const chars = [...text]
  const { dataCoding, alone, part, bytesOf } = chars.every((char) => small.bytesOf(char))
    ? small
    : UCS2
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

/** The bit of esm_class of a text that a user data header precedes. SMPP 3.4, 5.2.12 */
export const UDH = 0x40

/** SMPP fields of part `seq` (from 1) of `total`. The form `payload` puts the whole text in one field. */
export function makePartFields(
  form: SmppSettings['long_texts'],
  bytes: Buffer,
  reference: number,
  total: number,
  seq: number,
) {
  if (form === 'payload') return { message_payload: bytes }
  if (form === 'udh') {
    const header = Buffer.from([5, 0, 3, reference & 0xff, total, seq])
    return { esm_class: UDH, short_message: Buffer.concat([header, bytes]) }
  }
  return {
    short_message: bytes,
    sar_msg_ref_num: reference & 0xffff,
    sar_total_segments: total,
    sar_segment_seqnum: seq,
  }
}
