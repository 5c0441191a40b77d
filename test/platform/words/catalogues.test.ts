import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Sentence } from '../../../src/platform/words/say.ts'
import { LANGUAGES } from '../../../src/portable/languages.ts'

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url))
const FOLDERS = globSync('**/words/en.json', { cwd: SRC }).map(dirname).sort()
const OTHERS = LANGUAGES.filter((language) => language !== 'en')

/** Words that are the same in English. */
const SAME: Readonly<Partial<Record<string, readonly string[]>>> = {
  de: ['Browser', 'Details', 'Labels', 'Name', 'Text'],
  fr: ['Contact', 'Contacts', 'Conversation', 'Conversations', 'Messages', 'Notes'],
}

const readWords = (folder: string, language: string) =>
  JSON.parse(readFileSync(join(SRC, folder, `${language}.json`), 'utf8')) as Readonly<
    Record<string, Sentence>
  >
const placeholders = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort()
const listForms = (sentence: Sentence): Readonly<Partial<Record<string, string>>> =>
  typeof sentence === 'string' ? { other: sentence } : sentence

test('each folder of words has a file for each language', () => {
  expect(FOLDERS).toContain('gateway/alarms/words')
  expect(FOLDERS.length).toBeGreaterThan(4)
  for (const folder of FOLDERS) {
    const found = globSync('*.json', { cwd: join(SRC, folder) }).map((file) =>
      basename(file, '.json'),
    )
    expect(found.sort(), folder).toEqual([...LANGUAGES].sort())
  }
})

describe.each(FOLDERS.flatMap((folder) => OTHERS.map((language) => [folder, language] as const)))(
  'the sentences of %s in %s',
  (folder, language) => {
    const english = readWords(folder, 'en')
    const words = readWords(folder, language)
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()

    test('each sentence is there, with all forms of a count', () => {
      expect(Object.keys(words)).toEqual(Object.keys(english))
      for (const [word, sentence] of Object.entries(english)) {
        const needed = typeof sentence === 'string' ? ['other'] : [...pluralCategories].sort()
        expect(Object.keys(listForms(words[word]!)).sort(), word).toEqual(needed)
      }
    })

    test('sentences have the placeholders of the English ones', () => {
      for (const [word, sentence] of Object.entries(english)) {
        const forms = listForms(sentence)
        for (const [form, text] of Object.entries(listForms(words[word]!))) {
          const needed = placeholders(forms[form] ?? forms.other!)
          const isNumberLeftOut = form === 'one' && !needed.includes('{count}')
          const named = placeholders(text!).filter((name) => name !== '{count}' || !isNumberLeftOut)
          expect(named, `${word}: ${form}`).toEqual(needed)
        }
      }
    })

    test('no sentence is left in English', () => {
      const same = SAME[language] ?? []
      const left = Object.keys(english).filter(
        (word) => words[word] === english[word] && !same.includes(words[word] as string),
      )
      expect(left).toEqual([])
    })
  },
)
