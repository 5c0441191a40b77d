import {
  findReplyWords,
  HELP_WORDS,
  renderConsentText,
} from '../../../src/gateway/consent/consent-texts.ts'
import { fillPageWords } from '../../../src/gateway/consent/pages/page-words.ts'
import { LANGUAGES } from '../../../src/portable/languages.ts'
import { addLanguageWords } from '../../../src/portable/opt-words-by-language.ts'
import { countSegments } from '../../../src/portable/segments.ts'

const KINDS = ['ask', 'joined', 'code', 'helped'] as const
const ENGLISH_WORDS = { out: ['STOP'], in: ['START'] }
const NAMES = { account: 'Shop', group: 'News' }
const speak = (language: string) => ({ chosen: [language], country: '', language: '' })
const SENTENCES = ['terms', 'noText', 'joinedText', 'leftAll'] as const

/** The words of capital letters in a text that end or begin texts, in any language. */
function listReplyWords(text: string): string[] {
  const { out, in: begin } = addLanguageWords(ENGLISH_WORDS, [
    'de',
    'es',
    'fr',
    'it',
    'nl',
    'pl',
    'pt',
    'sv',
  ])
  const words = text.match(/\p{Lu}{2,}/gu) ?? []
  return [...new Set(words.filter((word) => out.includes(word) || begin.includes(word)))].sort()
}

describe.each(['en', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'pt', 'sv'])('texts in %s', (language) => {
  const { stop, start, help } = findReplyWords(language, [language])

  test('texts name words that the account takes', () => {
    const taken = addLanguageWords(ENGLISH_WORDS, [language])
    expect([taken.out.includes(stop), taken.in.includes(start)]).toEqual([true, true])
    expect(HELP_WORDS).toContain(help)
  })

  test.each(KINDS)('the text %s names one word that ends texts', (kind) => {
    expect(listReplyWords(renderConsentText(kind, speak(language), NAMES))).toEqual([stop])
  })

  test.each(KINDS)('the text %s has signs of the GSM alphabet only', (kind) => {
    expect(countSegments(renderConsentText(kind, speak(language), NAMES)).encoding).toBe('GSM-7')
  })

  test('a text in a language that the account has not chosen names STOP', () => {
    expect(
      listReplyWords(
        renderConsentText('code', { ...speak(language), chosen: [] }, NAMES, language),
      ),
    ).toEqual(['STOP'])
  })
})

test.each(LANGUAGES)('a page in %s names the words that the account has chosen', (language) => {
  const { stop, start, help } = findReplyWords(language, [language])
  const say = (chosen: readonly string[]) =>
    SENTENCES.map((word) => fillPageWords(language, word, { ...NAMES, chosen })).join(' ')
  expect(listReplyWords(say([language]))).toEqual([start, stop].sort())
  expect(listReplyWords(say(['pl']))).toEqual(['START', 'STOP'])
  expect(say([])).toContain(help)
})
