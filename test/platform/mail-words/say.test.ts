import {
  MAIL_TEMPLATES,
  translateMailTemplate,
} from '../../../src/engine/collections/mail-texts.ts'
import {
  ENGLISH_MAILS,
  type MailWord,
  type Sentence,
} from '../../../src/platform/mail-words/english.ts'
import { formatMailTime, MAIL_WORDS, makeSayMail } from '../../../src/platform/mail-words/say.ts'
import { LANGUAGES, readAcceptLanguage } from '../../../src/portable/languages.ts'

const WORDS = Object.keys(ENGLISH_MAILS) as MailWord[]
const placeholders = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort()
const formsOf = (sentence: Sentence) =>
  typeof sentence === 'string' ? { other: sentence } : sentence

describe.each(LANGUAGES.filter((language) => language !== 'en'))('the mails in %s', (language) => {
  const words = MAIL_WORDS[language]
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()

  test('the mails have each sentence, with all forms of a count', () => {
    expect(Object.keys(words).sort()).toEqual([...WORDS].sort())
    for (const word of WORDS) {
      const needed =
        typeof ENGLISH_MAILS[word] === 'string' ? ['other'] : [...pluralCategories].sort()
      expect(Object.keys(formsOf(words[word])).sort(), word).toEqual(needed)
    }
  })

  test('the sentences of mails have the placeholders of the English ones', () => {
    for (const word of WORDS) {
      const english: Readonly<Partial<Record<string, string>>> = formsOf(ENGLISH_MAILS[word])
      for (const [form, text] of Object.entries(formsOf(words[word]))) {
        const needed = placeholders(english[form] ?? english.other!)
        const isNumberLeftOut = form === 'one' && !needed.includes('{count}')
        const named = placeholders(text).filter((name) => name !== '{count}' || !isNumberLeftOut)
        expect(named, `${word}: ${form}`).toEqual(needed)
      }
    }
  })

  test('no sentence of a mail is left in English', () => {
    expect(WORDS.filter((word) => words[word] === ENGLISH_MAILS[word])).toEqual([])
  })

  test('the mail templates have the placeholders and links of those of PocketBase', () => {
    const read = ({ body }: { body: string }) => body.match(/\{\w+\}|href="[^"]+"|<\/?\w+/g)
    for (const name of Object.keys(MAIL_TEMPLATES) as (keyof typeof MAIL_TEMPLATES)[]) {
      const usual = MAIL_TEMPLATES[name]
      const found = translateMailTemplate(name, usual, language)!
      expect(read(found)!.toSorted(), name).toEqual(read(usual)!.toSorted())
      expect(translateMailTemplate(name, { ...usual, body: `${usual.body} ` }, language)).toBe(
        undefined,
      )
    }
  })
})

test('a sentence of a mail has the form and the numbers of its language', () => {
  const more = (count: number) => makeSayMail('de')('isSilent', { name: 'Büro', count })
  expect([more(1), more(2_000)]).toEqual([
    'Büro meldet sich nicht',
    '2.000 Geräte melden sich nicht',
  ])
  expect(makeSayMail('fr')('waiting', { count: 0 })).toBe('0 message en attente')
  expect(makeSayMail('en')('inviteText', { name: '{name} $& {count}' })).toContain(
    '{name} $& {count}',
  )
})

test.each([
  ['en', '20 Nov 2026, 08:00 CET'],
  ['de', '20. Nov. 2026, 08:00 MEZ'],
  ['es', '20 nov 2026, 08:00 CET'],
  ['fr', '20 nov. 2026, 08:00 UTC+1'],
  ['pt', '20 de nov. de 2026, 08:00 GMT+1'],
] as const)('a time of a mail in %s is %s', (language, written) => {
  expect(formatMailTime(language, '2026-11-20 07:00:12.345Z', 'Europe/Berlin')).toBe(written)
})

test('a time of a mail that is no instant stays as it is, and an early year too', () => {
  expect(formatMailTime('de', 'soon')).toBe('soon')
  expect(formatMailTime('en', '0000-01-01 00:00:00.000Z')).toBe('1 Jan 1, 00:00 UTC')
})

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['it;q=1, pt-PT;q=0.4, FR;q=0.5', 'fr'],
  ['es;q=0, en;q=0.1', 'en'],
  ['*', undefined],
  ['', undefined],
  [`${'xx,'.repeat(1_000)}de`, undefined],
])('of the languages %s the browser gets %s', (header, language) => {
  expect(readAcceptLanguage(header)).toBe(language)
})
