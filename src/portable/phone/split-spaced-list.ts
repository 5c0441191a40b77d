import { toPlainText } from './plain-text.ts'
import { type ReadOptions, readPhone } from './read-phone.ts'

/** Minimum digits of a piece that is a number by itself, and not a part of one, such as an area code. */
const MIN_DIGITS = 7

/**
 * A number may have spaces, too. If each piece is a number, these are the list; else one number if valid,
 * else numbers that begin with `+` or `00`.
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
