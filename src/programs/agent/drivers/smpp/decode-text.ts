import { isUtf8 } from 'node:buffer'
import { DATA_URL } from '../../../../portable/data-url.ts'
import { BASIC, ESCAPE, EXTENSION } from './gsm-alphabet.ts'
import { NATIONAL_TABLES } from './national-tables.ts'

/** How to read the bytes of a text or part: by its data_coding, and by the language tables of its header. */
export interface Coding {
  readonly dataCoding: number
  /** Identifiers of language tables; 0 for none. 3GPP TS 23.040, 9.2.3.24.15 and 16 */
  readonly single: number
  readonly locking: number
  /** The header names a program of the phone: a WAP push, or the notice of an MMS. Absent for false. */
  readonly isData?: boolean
}

export const isSameCoding = (a: Coding | undefined, b: Coding | undefined): boolean =>
  a?.dataCoding === b?.dataCoding &&
  a?.single === b?.single &&
  a?.locking === b?.locking &&
  a?.isData === b?.isData

/** `bytes`: data without an alphabet. Other names but `gsm` are encodings of `TextDecoder`. */
type Alphabet = 'gsm' | 'bytes' | 'latin1' | 'ucs2' | 'iso-8859-5' | 'iso-8859-8' | JapaneseOrKorean
type JapaneseOrKorean = 'shift_jis' | 'iso-2022-jp' | 'euc-jp' | 'euc-kr'

/** Alphabets by data_coding. SMPP 3.4, 5.2.19; 0x09 is the Shift JIS of Japanese phones, with pictograms */
const SMPP: Readonly<Record<number, Alphabet>> = {
  1: 'latin1', // ASCII: some carriers write Latin-1 by it
  2: 'bytes',
  3: 'latin1',
  4: 'bytes',
  5: 'shift_jis',
  6: 'iso-8859-5',
  7: 'iso-8859-8',
  8: 'ucs2',
  9: 'shift_jis',
  10: 'iso-2022-jp',
  13: 'euc-jp',
  14: 'euc-kr',
}

/**
 * The alphabet of a data_coding; undefined for the carrier's default, as which reserved values count. From
 * 0x10 on it is a data coding scheme of phones: 3GPP TS 23.038, 4. No carrier is known to compress texts.
 */
function chooseAlphabet(dataCoding: number): Alphabet | undefined {
  if (dataCoding < 0x10) return SMPP[dataCoding]
  const group = dataCoding >> 4
  // general data coding, then the same for texts that the phone deletes once they are read
  if (group < 0x8) return (['gsm', 'bytes', 'ucs2'] as const)[(dataCoding >> 2) & 3]
  if (group < 0xc) return undefined
  // messages wait (0xc to 0xe), then a message class
  if (group === 0xe) return 'ucs2'
  return group === 0xf && dataCoding & 4 ? 'bytes' : 'gsm'
}

/**
 * Decodes an incoming text; data becomes a data URL. `fallback`: the carrier's default alphabet. The text may
 * end in half a character.
 */
export function decodeSmsText(bytes: Buffer, coding: Coding, fallback: 'gsm' | 'latin1'): string {
  const { single, locking, isData } = coding
  if (isData) return DATA_URL + bytes.toString('base64')
  const named = chooseAlphabet(coding.dataCoding)
  // only the 7-bit alphabet has language tables
  const alphabet = named ?? (single || locking ? 'gsm' : fallback)
  if (alphabet === 'gsm') return decodeGsm(bytes, single, locking)
  if (alphabet === 'ucs2') return decodeUcs2(bytes)
  if (alphabet === 'bytes') return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')
  // not by `TextDecoder`: its latin1 is windows-1252
  return alphabet === 'latin1' ? bytes.toString('latin1') : new TextDecoder(alphabet).decode(bytes)
}

/** Each byte is a 7-bit character. An escape before a code without a character is ignored. */
function decodeGsm(bytes: Buffer, single: number, locking: number): string {
  const main = NATIONAL_TABLES[locking]?.locking ?? BASIC
  const shifted = NATIONAL_TABLES[single]?.single
  let text = ''
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] !== ESCAPE) {
      text += main[bytes[i]!] ?? ' '
      continue
    }
    const code = bytes[i + 1]
    const char =
      code === undefined ? undefined : shifted === undefined ? EXTENSION[code] : shifted[code]
    if (char === undefined || char === ' ') continue
    text += char
    i++
  }
  return text
}

const LITTLE_ENDIAN = 'fffe'

/** Big-endian without a byte order mark, or as the mark says. Leaves out half of a 16-bit unit at the end. */
function decodeUcs2(bytes: Buffer): string {
  const even = Buffer.from(bytes.subarray(0, bytes.length & ~1))
  const isLittle = even.toString('hex', 0, 2) === LITTLE_ENDIAN
  return (isLittle ? even : even.swap16()).toString('utf16le').replace(/^\ufeff/, '')
}
