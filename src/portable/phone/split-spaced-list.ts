import { toPlainText } from './plain-text.ts'
import { type ReadOptions, readPhone } from './read-phone.ts'

/** Minimum digits of a piece that is a number by itself, and not a part of one, such as an area code. */
const MIN_DIGITS = 7

/**
 * Splits a list of numbers with spaces between them, of which each may itself have spaces. Numbers without
 * spaces are a list. Otherwise the text is one number if it can be, else a list of numbers with `+` or `00`.
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
