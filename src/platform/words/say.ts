import { makeLocaleTag } from '../../portable/account-locale.ts'
import type { Language } from '../../portable/languages.ts'

/** A sentence, or its forms by the count, as CLDR names them. */
export type Sentence = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>

/** The sentences of a feature in all languages. `{name}` and the like are filled in. */
export type Catalogues<Word extends string> = {
  readonly [Name in Language]: { readonly [Each in Word]: Sentence }
}

/** How each language writes dates and numbers for people whose country is unknown. */
const LOCALES: Readonly<Record<Language, string>> = {
  en: 'en-GB',
  de: 'de-DE',
  es: 'es-ES',
  fr: 'fr-FR',
  pt: 'pt-BR',
}

/** Says a sentence with its values; `count` chooses its form. Other names keep their braces. */
export type SaySentence<Word extends string> = (
  word: Word,
  values?: Readonly<Record<string, string | number>>,
) => string

const chooseForm = (forms: Exclude<Sentence, string>, locale: string, count: number): string =>
  forms[new Intl.PluralRules(locale).select(count)] ?? forms.other!

/** A function that says a feature's sentences in a language, as text that is not escaped for HTML. */
export const makeSay =
  <Word extends string>(catalogues: Catalogues<Word>, language: Language): SaySentence<Word> =>
  (word, values = {}) => {
    const locale = LOCALES[language]
    const sentence = catalogues[language][word]
    const text =
      typeof sentence === 'string'
        ? sentence
        : chooseForm(sentence, locale, Number(values.count ?? 0))
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name] ?? whole
      return typeof value === 'number' ? value.toLocaleString(locale) : value
    })
  }

/** How a language is written in a country. Where `Intl` does not know that, as where it is unknown. */
function findLocale(language: Language, country: string): string {
  if (country === '') return LOCALES[language]
  const tag = makeLocaleTag({ language, country, zone: '' })
  const known = new Intl.DateTimeFormat(tag).resolvedOptions().locale
  return new Intl.Locale(known).region === country ? tag : LOCALES[language]
}

/** How a person reads times. */
export interface TimeReader {
  readonly language: Language
  /** An IANA time zone; UTC if unknown. */
  readonly timeZone?: string
  /** ISO 3166 alpha-2: the account's; '' if unknown. */
  readonly country?: string
}

/**
 * Writes stored instants as `20 Nov 2026, 07:00 UTC`, in the USA as `Nov 20, 2026, 7:00 AM UTC`. What is no
 * instant, stays.
 */
export function makeTimeFormat({
  language,
  timeZone = 'UTC',
  country = '',
}: TimeReader): (instant: string) => string {
  const locale = findLocale(language, country)
  const isTwelveHours = new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions()
    .hour12
  const format = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: isTwelveHours ? 'numeric' : '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  })
  return (instant) => {
    const date = new Date(instant.replace(' ', 'T')) // with a space, the year 0000 would be 2000
    return Number.isNaN(date.getTime()) ? instant : format.format(date)
  }
}

/** A stored instant as its reader writes it: see makeTimeFormat. */
export const formatMailTime = (reader: TimeReader, instant: string): string =>
  makeTimeFormat(reader)(instant)
