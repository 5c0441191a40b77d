import { plainTextSuggestion } from '../../console/src/data/text/text-size.ts'

test.each([
  ['a dash', 'Here – come', { text: 'Here - come', saved: 0 }],
  ['quotes and dots', '“It’s” …', { text: '"It\'s" ...', saved: 0 }],
  ['invisible signs', 'a\u200bb\u00a0c', { text: 'ab c', saved: 0 }],
  ['many of them', `${'x'.repeat(150)}–`, { text: `${'x'.repeat(150)}-`, saved: 2 }],
  ['plain already', 'It\'s "fine" - äöü €', undefined],
  ['letters are left alone', 'ça va ő', undefined],
  ['a text with an emoji, where it saves nothing', 'Hi – 😀', undefined],
])('plain characters are suggested for %s', (_, text, expected) => {
  expect(plainTextSuggestion(text)).toEqual(expected)
})
