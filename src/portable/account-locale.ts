import { isLanguage } from './languages.ts'

/** How the people of an account read and write dates and numbers; each '' if unknown. */
export interface AccountLocale {
  readonly language: string
  /** ISO 3166 alpha-2. */
  readonly country: string
  /** An IANA time zone; '' counts as UTC. */
  readonly zone: string
}

export const UNKNOWN_LOCALE: AccountLocale = { language: '', country: '', zone: '' }

/** The tag by which `Intl` writes for people of an account: years of Christ, and digits of text messages. */
export function makeLocaleTag({ language, country }: AccountLocale): string {
  const own = isLanguage(language) ? language : guessLanguage(country)
  return `${own}${country && `-${country}`}-u-ca-gregory-nu-latn`
}

/** The language of most people of a country, if texts can be written in it; else English. */
function guessLanguage(country: string): string {
  const likely = country ? new Intl.Locale(`und-${country}`).maximize().language : ''
  return isLanguage(likely) ? likely : 'en'
}
