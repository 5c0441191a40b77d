import { toPlainText } from './phone/plain-text.ts'

/** Longer texts are not searched for a code. */
const MAX_LENGTH = 500
/** Digits in a sentence, or groups of at most four with one sign between them: `123 456`, `123-456`. */
const GROUPS = /(?<!\d)\d{1,4}(?:[ \p{Zs}\p{Pd}.,·]\d{1,4})+(?!\d)|\d+/gu
/** The length of a code within words. */
const CODE = /^\d{4,10}$/

/**
 * Reads `123 456`, `１２３-４５６`, `G-123456`, or a text with a code. Returns a text unchanged if
 * it has none, or several; '' for one without letters and digits.
 */
export function readTypedCode(typed: string): string {
  if (typed.length > MAX_LENGTH) return typed
  const plain = toPlainText(typed).replace(/\p{M}/gu, '')
  if (!/\p{L}/u.test(plain)) return plain.replace(/\D/g, '')
  const groups = (plain.match(GROUPS) ?? []).map((group) => group.replace(/\D/g, ''))
  const [code, ...others] = new Set(groups.filter((group) => CODE.test(group)))
  return code === undefined || others.length > 0 ? typed : code
}

export const PAIRING_CODE = /^\d{6}$/
