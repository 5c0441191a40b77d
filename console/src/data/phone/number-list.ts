import { type PhoneFault, readPhone } from './phone-numbers.ts'
import { phoneFaultWords } from './phone-words.ts'

export interface TypedNumber {
  /** In E.164; what was typed if it is invalid. */
  readonly phone: string
  readonly name: ''
  /** The typed text. It is parsed again when the user chooses another country. */
  readonly typed: string
  /** Why the number is invalid; undefined if it is valid. */
  readonly fault?: PhoneFault | undefined
}

/** Separators of numbers. Spaces separate only before a plus, or after `Anna <+49…>`. */
const BETWEEN = /[\n\r\t,]+|;(?!ext=|phone-context=)|(?<=\d\)?)\s+(?=\+)|(?<=>)\s+/

export const isList = (text: string) => text.trim().split(BETWEEN).length > 1

/**
 * Parses the numbers of a text in any spelling; numbers without a country belong to `country`. Unreadable
 * ones stay as typed, with the reason.
 */
export function readNumbers(text: string, country: string): TypedNumber[] {
  const pieces = text.split(BETWEEN).map((piece) => piece.trim())
  return pieces.filter((piece) => piece !== '').map((piece) => readNumber(piece, country))
}

function readNumber(text: string, country: string): TypedNumber {
  const { phone = text, fault } = readPhone(text, country)
  return { phone, name: '', typed: text, fault }
}

/** Says in one line why the first `most` invalid numbers cannot be read. */
export const faultsOf = (
  numbers: readonly { phone: string; fault?: PhoneFault | undefined }[],
  most: number,
) =>
  numbers
    .slice(0, most)
    .map(({ phone, fault }) => `“${phone}” – ${phoneFaultWords(fault!)}.`)
    .join(' ')
