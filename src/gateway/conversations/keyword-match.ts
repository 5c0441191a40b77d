import { foldText } from '../../portable/fold-text.ts'
import { MAX_TEXT_CHARACTERS } from '../../portable/max-text-characters.ts'
import { foldWord } from '../../portable/read-opt-word.ts'
import { readWrittenText, type TextWithSubject } from '../../portable/written-words.ts'

type Match = 'any' | 'words' | 'first_word' | 'contains'

const STARTS_IN_WORD = /^[\p{L}\p{M}\p{N}]/u
/** Quotes, brackets and the like before the first word. */
const BEFORE = /^[\p{P}\p{S}\s]+/u

const foldWords = (text: string): string => foldText(text.slice(0, MAX_TEXT_CHARACTERS)).trim()

export const splitKeywords = (value: string): readonly string[] =>
  foldWords(value)
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

/**
 * Whether a text equals a keyword (`words`), begins with one (`first_word`) or contains one. What phones and
 * networks add does not count, nor does the subject of an MMS that has words, but for `contains`.
 */
export function matchesKeyword(kind: Match, value: string, received: TextWithSubject): boolean {
  if (kind === 'any') return true
  const { subject, words } = readWrittenText(received)
  const text = foldWords(words || subject)
  const all = foldWords(`${subject} ${words}`)
  return splitKeywords(value).some((word) => {
    if (kind === 'words') return text === word || isSameWord(text, word)
    if (kind === 'contains') return all.includes(word)
    return startsWithWord(text, word) || startsWithWord(text.replace(BEFORE, ''), word)
  })
}

const startsWithWord = (text: string, word: string): boolean =>
  text.startsWith(word) && !STARTS_IN_WORD.test(text.slice(word.length))

/** Whether both are one word, whatever punctuation is around it. */
function isSameWord(text: string, word: string): boolean {
  const folded = foldWord(text)
  return folded !== '' && folded === foldWord(word)
}
