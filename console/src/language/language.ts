import { LANGUAGES, type Language } from '#portable/languages.ts'

/** The direction of each language's script. */
export const DIRECTIONS: Readonly<Record<Language, 'ltr' | 'rtl'>> = {
  en: 'ltr',
  de: 'ltr',
  es: 'ltr',
  fr: 'ltr',
  pt: 'ltr',
}

/** A language of the console, and the locale for dates and numbers, for example `de` and `de-AT`. */
interface Choice {
  readonly language: Language
  readonly locale: string
}

/** Chooses the user's first language that the console has, and its region. English if it has none of them. */
export function chooseLanguage(wanted: readonly string[]): Choice {
  for (const locale of wanted) {
    const language = LANGUAGES.find((each) => each === locale.toLowerCase().split('-')[0])
    if (language && isLocale(locale)) return { language, locale }
  }
  return { language: 'en', locale: 'en' }
}

/** Whether `Intl` accepts the tag. `Intl` throws for an invalid one, such as `de-@`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}

// false in Node's tests, which have no document and get English
const inWindow = 'document' in globalThis

/** The item of localStorage with the language that was chosen in this browser. */
export const CHOSEN = 'pocketsms.language'

/** The locales that the person wants: those of the chosen language first, then the language alone. */
function listWantedLanguages(): readonly string[] {
  const chosen = localStorage.getItem(CHOSEN)
  if (!chosen) return navigator.languages
  return [...navigator.languages.filter((each) => each.startsWith(chosen)), chosen]
}

/** The language and locale of this window until it is reloaded. */
export const { language, locale } = chooseLanguage(inWindow ? listWantedLanguages() : [])
