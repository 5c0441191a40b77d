import { suggestPlainText } from '../../console/src/data/text/text-size.ts'

test.each([
  ['a dash', 'Here – come', { text: 'Here - come', saved: 0 }],
  ['quotes and dots', '“It’s” …', { text: '"It\'s" ...', saved: 0 }],
  ['invisible signs', 'a\u200bb\u00a0c', { text: 'ab c', saved: 0 }],
  [
    'a dash that makes a text longer by two segments',
    `${'x'.repeat(150)}–`,
    { text: `${'x'.repeat(150)}-`, saved: 2 },
  ],
])('plain characters are suggested for %s: $2', (_, text, expected) => {
  expect(suggestPlainText(text)).toEqual(expected)
})

test.each([
  ['a text that is plain already', 'It\'s "fine" - äöü €'],
  ['letters', 'ça va ő'],
  ['a text with an emoji, where they save nothing', 'Hi – 😀'],
])('no plain characters are suggested for %s', (_, text) => {
  expect(suggestPlainText(text)).toBeUndefined()
})
