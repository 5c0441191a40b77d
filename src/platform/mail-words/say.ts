import type { Language } from '../../portable/languages.ts'
import { ENGLISH_MAILS, type MailWord, type MailWords } from './english.ts'
import { FRENCH_MAILS } from './french.ts'
import { GERMAN_MAILS } from './german.ts'
import { PORTUGUESE_MAILS } from './portuguese.ts'
import { SPANISH_MAILS } from './spanish.ts'

export const MAIL_WORDS: Readonly<Record<Language, MailWords>> = {
  en: ENGLISH_MAILS,
  de: GERMAN_MAILS,
  es: SPANISH_MAILS,
  fr: FRENCH_MAILS,
  pt: PORTUGUESE_MAILS,
}

/** How each language writes dates and numbers. */
const LOCALES: Readonly<Record<Language, string>> = {
  en: 'en-GB',
  de: 'de-DE',
  es: 'es-ES',
  fr: 'fr-FR',
  pt: 'pt-BR',
}

/** Says a sentence of a mail with its values; `count` chooses its form. Others keep their braces. */
export type SayMail = (word: MailWord, values?: Readonly<Record<string, string | number>>) => string

type Forms = Exclude<MailWords[MailWord], string>

const chooseForm = (forms: Forms, locale: string, count: number): string =>
  forms[new Intl.PluralRules(locale).select(count)] ?? forms.other!

/** A function that says sentences in a language, as text that is not escaped for HTML. */
export const makeSayMail =
  (language: Language): SayMail =>
  (word, values = {}) => {
    const locale = LOCALES[language]
    const sentence = MAIL_WORDS[language][word]
    const text =
      typeof sentence === 'string'
        ? sentence
        : chooseForm(sentence, locale, Number(values.count ?? 0))
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name] ?? whole
      return typeof value === 'number' ? value.toLocaleString(locale) : value
    })
  }

/** A stored instant as `20 Nov 2026, 07:00 UTC`. What is no instant, stays. */
export function formatMailTime(language: Language, instant: string, timeZone = 'UTC'): string {
  const date = new Date(instant.replace(' ', 'T')) // with a space, the year 0000 would be 2000
  if (Number.isNaN(date.getTime())) return instant
  return date.toLocaleString(LOCALES[language], {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  })
}
