import { type PhoneFault, readPhone } from './phone-numbers.ts'
import { phoneFaultWords } from './phone-words.ts'

/** One of several numbers that were typed or pasted. */
export interface TypedNumber {
  /** In E.164; what was typed if it is invalid. */
  readonly phone: string
  readonly name: ''
  /** The typed text, which is read again when another country is chosen. */
  readonly typed: string
  /** Why the number is invalid; undefined if it is valid. */
  readonly fault?: PhoneFault | undefined
}

/** Between numbers; a space only between a number and a plus, or after `Anna <+49…>`. */
const BETWEEN = /[\n\r\t,]+|;(?!ext=|phone-context=)|(?<=\d\)?)\s+(?=\+)|(?<=>)\s+/

/** Whether a text holds several numbers. */
export const isList = (text: string) => text.trim().split(BETWEEN).length > 1

/**
 * The numbers of a text, however they are written; those without a country are of `country`. What cannot be
 * read is kept as it was typed, with its fault.
 */
export function readNumbers(text: string, country: string): TypedNumber[] {
  const pieces = text.split(BETWEEN).map((piece) => piece.trim())
  return pieces.filter((piece) => piece !== '').map((piece) => readNumber(piece, country))
}

function readNumber(text: string, country: string): TypedNumber {
  const { phone = text, fault } = readPhone(text, country)
  return { phone, name: '', typed: text, fault }
}

/** Why the first invalid numbers cannot be read, in one line. */
export const faultsOf = (
  numbers: readonly { phone: string; fault?: PhoneFault | undefined }[],
  most: number,
) =>
  numbers
    .slice(0, most)
    .map(({ phone, fault }) => `“${phone}” – ${phoneFaultWords(fault!)}.`)
    .join(' ')
