import { toPlainText } from './phone/plain-text.ts'

/** Longer texts are not searched for a code. */
const MAX_LENGTH = 500
/** Digits in a sentence, or groups of at most four with one sign between them: `123 456`, `123-456`. */
const GROUPS = /(?<!\d)\d{1,4}(?:[ \p{Zs}\p{Pd}.,·]\d{1,4})+(?!\d)|\d+/gu
/** The length of a code within words. */
const CODE = /^\d{4,10}$/

/**
 * The digits of a code as a person types or pastes it: `123 456`, `１２３-４５６`, `G-123456`, or the text with
 * the code. A text from which no code, or more than one, can be read is returned unchanged; one without
 * letters and digits as ''.
 */
export function readTypedCode(typed: string): string {
  if (typed.length > MAX_LENGTH) return typed
  const plain = toPlainText(typed).replace(/\p{M}/gu, '')
  if (!/\p{L}/u.test(plain)) return plain.replace(/\D/g, '')
  const groups = (plain.match(GROUPS) ?? []).map((group) => group.replace(/\D/g, ''))
  const [code, ...others] = new Set(groups.filter((group) => CODE.test(group)))
  return code === undefined || others.length > 0 ? typed : code
}

/** Twelve letters in three groups within a text, with any kind of dash between them. */
const GROUPED_LETTERS =
  /(?<![\p{L}\p{Pd}−])\p{L}{4}[\p{Pd}−]\p{L}{4}[\p{Pd}−]\p{L}{4}(?![\p{L}\p{Pd}−])/gu

/**
 * The letters of a recovery code as a phone or a word processor writes it, in lower case: of
 * `Abcd–efgh ijkl.`, or of the text with the code. Digits stay.
 */
export function readTypedLetters(typed: string): string {
  if (typed.length > MAX_LENGTH) return typed
  const plain = toPlainText(typed)
  const [code, ...others] = plain.match(GROUPED_LETTERS) ?? []
  const letters = (code !== undefined && others.length === 0 ? code : plain).normalize('NFKD')
  return letters.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()
}

export const PAIRING_CODE = /^\d{6}$/
