import { fillNames } from '../consent-texts.ts'
import { ENGLISH, type PageWord } from './words/english.ts'
import { FRENCH } from './words/french.ts'
import { GERMAN } from './words/german.ts'
import { PORTUGUESE } from './words/portuguese.ts'
import { SPANISH } from './words/spanish.ts'

const WORDS = { en: ENGLISH, de: GERMAN, es: SPANISH, fr: FRENCH, pt: PORTUGUESE } as const
/** A language of the pages: those of the console. */
export type PageLanguage = keyof typeof WORDS
export const PAGE_LANGUAGES = Object.keys(WORDS) as readonly PageLanguage[]

/** Maximum items of an Accept-Language header that are read. */
const MAX_WANTED = 20

/** The language that the browser prefers most among those of the pages, else English. RFC 9110, 12.5.4 */
export function choosePageLanguage(acceptLanguage = ''): PageLanguage {
  const wanted = acceptLanguage
    .slice(0, 500)
    .split(',', MAX_WANTED)
    .map((item) => {
      const [tag = '', quality = ''] = item.toLowerCase().split(';')
      const [, weight = '1'] = quality.split('q=')
      return { name: tag.trim().split('-')[0]!, weight: Number(weight) || 0 }
    })
  const best = wanted
    .filter(({ name, weight }) => weight > 0 && Object.hasOwn(WORDS, name))
    .toSorted((a, b) => b.weight - a.weight)[0]
  return (best?.name ?? 'en') as PageLanguage
}

export interface Names {
  readonly account: string
  readonly group: string
}

const NO_NAMES: Names = { account: '', group: '' }

export const fillPageWords = (
  language: PageLanguage,
  word: PageWord,
  names = NO_NAMES,
  number = '',
): string => fillNames(WORDS[language][word], names).replaceAll('{number}', () => number)
