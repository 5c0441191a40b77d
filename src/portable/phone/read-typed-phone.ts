import { toPlainText } from './plain-text.ts'
import { MAX_LENGTH, type PhoneReading, readPhone } from './read-phone.ts'

/**
 * Reads a number that a person typed or a file has in a cell, with words around it: `Anna <+49…>`,
 * `Anna: 0151 1234 (mobile)`. Checks every number against the numbering plans.
 */
export const readTypedPhone = (text: string, country = ''): PhoneReading =>
  readPhone(text.length > MAX_LENGTH ? text : extractNumber(toPlainText(text)), country, {
    isTyped: true,
  })

function extractNumber(text: string): string {
  const inner = /<([^<>]*)>/.exec(text)?.[1]?.trim() ?? text
  if (/^\w+:/.test(inner) && !/^\w+:\s/.test(inner)) return inner
  return dropWords(inner)
}

const BEFORE_DIGIT = new Set('+([*#')
const LAST = /[\d*#]/

/** One or two letters at a digit, as in `0151 2000001O`: they may be mistyped digits. */
const LETTER_BEFORE = /(?<!\p{L})\p{L}{1,2}$/u
const LETTER_BEHIND = /^\p{L}{1,2}(?!\p{L})/u

/**
 * Removes words around a number. Keeps what is refused: an extension, letters that may be mistyped digits,
 * and a text without digits.
 */
function dropWords(text: string): string {
  let from = text.search(/\d/)
  if (from < 0) return text
  while (BEFORE_DIGIT.has(text[from - 1] ?? '')) from--
  if (from === 1 && text[0] === '-') from = 0
  let to = text.length
  while (!LAST.test(text[to - 1]!)) to--
  if (LETTER_BEFORE.test(text.slice(0, from)) || LETTER_BEHIND.test(text.slice(to))) return text
  return text.slice(from, to)
}
