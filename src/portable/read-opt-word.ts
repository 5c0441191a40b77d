import { foldText } from './fold-text.ts'
import { readWrittenText, type TextWithSubject } from './written-words.ts'

export interface OptWords {
  readonly out: readonly string[]
  readonly in: readonly string[]
}

/** Maximum characters of a word. Longer texts are sentences. */
const MAX_WORD = 60

/** Punctuation, quotes, emoji, space and invisible marks, which people and phones put around a word. */
const AROUND = /[\p{P}\p{S}\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u
/** Apostrophes that phones write for `'`. */
const APOSTROPHES = /[\u2018\u2019\u201b\u02bc\u2032\u00b4`]/gu

/**
 * The word that a whole text is, in one spelling: without the signs around it, with one space for each run
 * of white space or hyphens, in the upper case of `foldText`. '' for a text that is longer than any
 * word.
 */
export function foldWord(text: string): string {
  const characters = [...text]
  let [start, end] = [0, characters.length]
  while (start < end && AROUND.test(characters[start]!)) start++
  // not a regular expression for the whole text: one took 1.4 s for 39,000 dots before a letter
  while (end > start && AROUND.test(characters[end - 1]!)) end--
  if (end - start > MAX_WORD) return ''
  const word = characters.slice(start, end).join('').replace(APOSTROPHES, "'")
  return foldText(word)
    .toUpperCase()
    .replace(/[\s\p{Pd}]+/gu, ' ')
}

/** Whether a whole text is one of these words. The subject of an MMS counts if the MMS has no words. */
export function isOneWordOf(text: TextWithSubject, words: readonly string[]): boolean {
  const written = readWrittenText(text)
  return isOneOf(foldWord(written.words || written.subject), words)
}

const isOneOf = (word: string, words: readonly string[]): boolean =>
  word !== '' && words.some((one) => one === word || foldWord(one) === word)

/**
 * True for an opt-out word, false for an opt-in word, undefined for any other text, such as a sentence. What
 * phones, networks and this server add does not count: see `readWrittenText`. An opt-out word is heard as the
 * subject of any MMS, too, unless its words are an opt-in word.
 */
export function readOptWord(text: TextWithSubject, words: OptWords): boolean | undefined {
  const written = readWrittenText(text)
  const subject = foldWord(written.subject)
  const word = written.words === '' ? subject : foldWord(written.words)
  if (isOneOf(word, words.out)) return true
  if (isOneOf(word, words.in)) return false
  return isOneOf(subject, words.out) ? true : undefined
}
