const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

/** A language, and the locale of its dates and numbers: `de` and `de-AT`. */
export interface Choice {
  readonly language: Language
  readonly locale: string
}

/** The first of a browser's languages that the console has, with its region; English if there is none. */
export function chooseLanguage(wanted: readonly string[]): Choice {
  for (const locale of wanted) {
    const language = LANGUAGES.find((each) => each === locale.toLowerCase().split('-')[0])
    if (language && isLocale(locale)) return { language, locale }
  }
  return { language: 'en', locale: 'en' }
}

/** Whether `Intl` accepts the tag. It throws for an invalid one, such as `de-@`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}

// tests of single modules run in Node, which has no document: they get English
const inWindow = 'document' in globalThis

/** The language of this window, until it is reloaded. */
export const { language, locale } = chooseLanguage(inWindow ? navigator.languages : [])
