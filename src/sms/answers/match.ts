/** How an automatic answer chooses its texts. */
export const MATCHES = ['any', 'words', 'first_word', 'contains'] as const
export type Match = (typeof MATCHES)[number]

/** Characters of a text that are compared. */
const MAX_TEXT = 1_600

const STARTS_IN_WORD = /^[\p{L}\p{M}\p{N}]/u

/** One form of all spellings: `ß` is `ss`, wide letters are narrow, any white space is one space. */
export const fold = (text: string): string =>
  text
    .slice(0, MAX_TEXT)
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim()

/** The keywords of an answer. Commas separate them. */
export const keywordsOf = (value: string): readonly string[] =>
  fold(value)
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

/** Whether a folded text matches: equals a keyword (`words`), begins with one, or contains one. */
export function matches(kind: Match, value: string, text: string): boolean {
  if (kind === 'any') return true
  return keywordsOf(value).some((word) => {
    if (kind === 'words') return text === word
    if (kind === 'contains') return text.includes(word)
    return text.startsWith(word) && !STARTS_IN_WORD.test(text.slice(word.length))
  })
}
