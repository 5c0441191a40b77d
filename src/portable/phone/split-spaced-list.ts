import { toPlainText } from './plain-text.ts'
import { type ReadOptions, readPhone } from './read-phone.ts'

/** Minimum digits of a piece that is a number by itself, and not a part of one, such as an area code. */
const MIN_DIGITS = 7

/**
 * Splits a list of numbers at spaces, although a number may have spaces, too. If each piece is a number, the
 * pieces are the list. Otherwise the text is one number if it is valid as one, else a list of numbers that
 * begin with `+` or `00`.
 */
export function splitAtSpaces(list: string, country: string, options: ReadOptions): string[] {
  const text = toPlainText(list)
  const isNumber = (one: string) => readPhone(one, country, options).phone !== undefined
  const pieces = text.split(/\s+/).filter((piece) => piece !== '')
  if (pieces.every((piece) => isWholeNumber(piece) && isNumber(piece))) return pieces
  if (isNumber(text)) return [text]
  const begun = pieces.join(' ').split(/ (?=\+|00)/)
  return begun.length > 1 && begun.every(isNumber) ? begun : pieces
}

const isWholeNumber = (piece: string) => (piece.match(/\d/g) ?? []).length >= MIN_DIGITS
