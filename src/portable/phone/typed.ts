import { plainText } from './plain-text.ts'
import { MAX_LENGTH, type PhoneReading, readPhone } from './read.ts'

/**
 * Reads a number that a person typed or a file has in a cell, with words around it: `Anna <+49…>`,
 * `Anna: 0151 1234 (mobile)`. Checks every number against the numbering plans.
 */
export const readTyped = (text: string, country = ''): PhoneReading =>
  readPhone(text.length > MAX_LENGTH ? text : numberIn(plainText(text)), country, { isTyped: true })

function numberIn(text: string): string {
  const inner = /<([^<>]*)>/.exec(text)?.[1]?.trim() ?? text
  if (/^\w+:/.test(inner) && !/^\w+:\s/.test(inner)) return inner
  return withoutWords(inner)
}

const BEFORE_DIGIT = new Set('+([*#')
const LAST = /[\d*#]/

/** Removes words around a number. Keeps an extension, which is refused, and a text without digits. */
function withoutWords(text: string): string {
  let from = text.search(/\d/)
  if (from < 0) return text
  while (BEFORE_DIGIT.has(text[from - 1] ?? '')) from--
  if (from === 1 && text[0] === '-') from = 0
  let to = text.length
  while (!LAST.test(text[to - 1]!)) to--
  return text.slice(from, to)
}
