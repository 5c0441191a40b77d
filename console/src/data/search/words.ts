import { foldText } from '#portable/fold-text.ts'
import { pb } from '../client.ts'

/** The server allows a filter 200 comparisons and 3,500 bytes. */
const MOST_WORDS = 40

/** The words of a search, without repeats. */
export const splitWords = (text: string): readonly string[] =>
  [...new Set(text.trim().split(/\s+/))].filter(Boolean).slice(0, MOST_WORDS)

/** A filter for records with all words, each in one of the fields or by `more`. Ignores case and accents. */
export const writeWordsFilter = (
  words: readonly string[],
  fields: readonly string[],
  more: (word: string) => readonly string[] = () => [],
): string =>
  words
    .map((word) => {
      const inFields = fields.map((field) => pb.filter(`${field}:fold ~ {:word}`, { word }))
      return `(${[...inFields, ...more(word)].join(' || ')})`
    })
    .join(' && ')

/** Whether a text has all words of a search, in any order. Ignores case and accents. */
export function hasWords(text: string, search: string): boolean {
  const whole = foldText(text)
  return splitWords(search).every((word) => whole.includes(foldText(word)))
}

/** Whether an index finds the word: fewer than three letters in a row would read every text. */
export const isLongSearch = (word: string): boolean => /[\p{L}\p{N}]{3}/u.test(word)

/** Whether a search may read texts and notes. */
export const canFindTexts = (search: string): boolean => splitWords(search).some(isLongSearch)
