import type { Language } from '../../../portable/languages.ts'
import { fillNames, findReplyWords } from '../consent-texts.ts'
import { ENGLISH, type PageWord, type PageWords } from './words/english.ts'
import { FRENCH } from './words/french.ts'
import { GERMAN } from './words/german.ts'
import { PORTUGUESE } from './words/portuguese.ts'
import { SPANISH } from './words/spanish.ts'

const WORDS: Readonly<Record<Language, PageWords>> = {
  en: ENGLISH,
  de: GERMAN,
  es: SPANISH,
  fr: FRENCH,
  pt: PORTUGUESE,
}

export interface Names {
  readonly account: string
  readonly group: string
  /** The languages whose words for STOP and START the account takes. */
  readonly chosen: readonly string[]
}

const NO_NAMES: Names = { account: '', group: '', chosen: [] }

/** A sentence of a page, with its names and the words for replies. */
export const fillPageWords = (
  language: Language,
  word: PageWord,
  names = NO_NAMES,
  number = '',
): string => {
  const { stop, start, help } = findReplyWords(language, names.chosen)
  const sentence = WORDS[language][word]
    .replaceAll('{stop}', () => stop)
    .replaceAll('{start}', () => start)
    .replaceAll('{help}', () => help)
  return fillNames(sentence, names).replaceAll('{number}', () => number)
}
