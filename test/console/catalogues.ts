import { LANGUAGES } from '../../src/portable/languages.ts'
import { readSource, sources, type Text, textsOf } from './texts.ts'

/** The languages that have a catalogue: all but English. */
export const TRANSLATED = LANGUAGES.filter((language) => language !== 'en')
/** The files of a catalogue. */
export const PARTS = ['first', 'pages', 'service-worker'] as const
export type Part = (typeof PARTS)[number]

/** All texts of the console's sources. */
export const TEXTS: readonly Text[] = sources().flatMap((file) => textsOf(file, readSource(file)))

/** A translation, or one for each plural form. */
type Translation = string | Readonly<Record<string, string>>

export const readCatalogue = (
  language: string,
  part: Part,
): Readonly<Record<string, Translation>> =>
  JSON.parse(readSource(`language/${language}/${part}.json`))

/**
 * The translations of the console's texts by the English ones: of `One text` the form for one, of
 * `{count} texts` that for most counts. Without the notifications.
 */
export function readTranslations(language: string): ReadonlyMap<string, string> {
  const translations = { ...readCatalogue(language, 'first'), ...readCatalogue(language, 'pages') }
  const formOf = (english: string, form: 'one' | 'other') => {
    const found = translations[english]!
    return typeof found === 'string' ? found : found[form]!
  }
  const ones = TEXTS.flatMap(({ text, counted }) =>
    counted ? [[text, formOf(counted, 'one')] as const] : [],
  )
  const others = Object.keys(translations).map((text) => [text, formOf(text, 'other')] as const)
  return new Map([...ones, ...others])
}
