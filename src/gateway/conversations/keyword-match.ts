type Match = 'any' | 'words' | 'first_word' | 'contains'

const MAX_TEXT = 1_600

const STARTS_IN_WORD = /^[\p{L}\p{M}\p{N}]/u

/** Normalizes spellings: lower case, `ß` to `ss`, wide letters to narrow ones, white space to one space. */
export const foldText = (text: string): string =>
  text
    .slice(0, MAX_TEXT)
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim()

export const splitKeywords = (value: string): readonly string[] =>
  foldText(value)
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

/** Whether a text after `fold` equals a keyword (`words`), begins with one (`first_word`) or contains one. */
export function matchesKeyword(kind: Match, value: string, text: string): boolean {
  if (kind === 'any') return true
  return splitKeywords(value).some((word) => {
    if (kind === 'words') return text === word
    if (kind === 'contains') return text.includes(word)
    return text.startsWith(word) && !STARTS_IN_WORD.test(text.slice(word.length))
  })
}
