import { readAcceptLanguage } from '../../src/portable/languages.ts'

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
