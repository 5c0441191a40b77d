import type { PhoneFault } from '#portable/phone/read-phone.ts'
import { readTypedPhone } from '#portable/phone/read-typed-phone.ts'
import { t } from '../../language/words.ts'
import { describePhoneFault } from './phone-words.ts'

export interface TypedNumber {
  /** The number in E.164, or the typed text if it is invalid. */
  readonly phone: string
  readonly name: ''
  /** The typed text. It is parsed again when the user chooses another country. */
  readonly typed: string
  /** Why the number is invalid; undefined if it is valid. */
  readonly fault?: PhoneFault
}

/** Separators of typed numbers. A space separates only before a plus, or after `>` as in `Anna <+49…>`. */
const BETWEEN = /[\n\r\t,]+|;(?!ext=|phone-context=)|(?<=\d\)?)\s+(?=\+)|(?<=>)\s+/

export const isNumberList = (text: string) => text.trim().split(BETWEEN).length > 1

/**
 * Parses a list of phone numbers in any spelling. `country` is the country of numbers without a calling code.
 * Numbers that cannot be read stay as typed, with a `fault`.
 */
export function readNumbers(text: string, country: string): TypedNumber[] {
  const pieces = text.split(BETWEEN).map((piece) => piece.trim())
  return pieces.filter((piece) => piece !== '').map((piece) => readNumber(piece, country))
}

function readNumber(text: string, country: string): TypedNumber {
  const { phone = text, fault } = readTypedPhone(text, country)
  return { phone, name: '', typed: text, fault }
}

/** Says why invalid numbers cannot be read, in one line of text, for at most `most` of them. */
export const describeFaults = (
  numbers: readonly { phone: string; fault?: PhoneFault }[],
  most: number,
) =>
  numbers
    .slice(0, most)
    .map(({ phone, fault }) =>
      t('“{text}” – {fault}.', { text: phone, fault: describePhoneFault(fault!) }),
    )
    .join(' ')
