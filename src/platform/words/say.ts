import type { Language } from '../../portable/languages.ts'

/** A sentence, or its forms by the count, as CLDR names them. */
export type Sentence = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>

/** The sentences of a feature in all languages. `{name}` and the like are filled in. */
export type Catalogues<Word extends string> = {
  readonly [Name in Language]: { readonly [Each in Word]: Sentence }
}

/** How each language writes dates and numbers. */
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

/** Writes stored instants as `20 Nov 2026, 07:00 UTC`. What is no instant, stays. */
export function makeTimeFormat(language: Language, timeZone = 'UTC'): (instant: string) => string {
  const format = new Intl.DateTimeFormat(LOCALES[language], {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  })
  return (instant) => {
    const date = new Date(instant.replace(' ', 'T')) // with a space, the year 0000 would be 2000
    return Number.isNaN(date.getTime()) ? instant : format.format(date)
  }
}

/** A stored instant as `20 Nov 2026, 07:00 UTC`. What is no instant, stays. */
export const formatMailTime = (language: Language, instant: string, timeZone = 'UTC'): string =>
  makeTimeFormat(language, timeZone)(instant)
