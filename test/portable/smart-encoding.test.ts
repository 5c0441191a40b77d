import { countSegments } from '../../src/portable/segments.ts'
import { replaceIfShorter, replaceSpecialSigns } from '../../src/portable/smart-encoding.ts'

const LONG = 'x'.repeat(80)
const MAX = 1_600

test.each([
  ['double quotation marks', '“a” „b“ «c» ″', '"a" "b" "c" "'],
  ['single quotation marks and accents', '‘a’ ‚b‛ ´ `', "'a' ,b' ' '"],
  ['dashes and a bullet', '‐ – — ― • ⁃', '- - - - - -'],
  ['dots and commas', '… 。 、 ，', '... . , ,'],
  ['fractions and slashes', '½ ¼ ¾ ÷ ⁄', '1/2 1/4 3/4 / /'],
  ['spaces', 'a\u00a0b\u2003c\u202fd\u3000e\tf', 'a b c d e f'],
  ['invisible signs', 'a\u200bb\u2060c\ufeffd\u00ade', 'abcde'],
  ['fullwidth signs', 'ＡＺ０９？！＠', 'AZ09?!@'],
  ['small capitals', 'ᴀᴢ', 'AZ'],
  ['letters with accents, which stay', 'ça ő e\u0301 ş', 'ça ő e\u0301 ş'],
])('plain characters replace %s: $1 becomes $2', (_, text, plain) => {
  expect(replaceSpecialSigns(text)).toBe(plain)
})

test('each replacement is in the GSM alphabet', () => {
  for (let code = 1; code < 0x10000; code++) {
    const sign = String.fromCharCode(code)
    const plain = replaceSpecialSigns(sign)
    if (plain !== sign) expect([sign, countSegments(plain).encoding]).toEqual([sign, 'GSM-7'])
  }
})

test.each([
  ['a short text, which is one segment already', '“Hi”'],
  ['a text with an emoji, which stays Unicode', `${LONG} – 😀`],
  ['a text without such signs', `${LONG} é`],
  ['a text that would become too long', '…'.repeat(800)],
])('smart encoding does not change %s', (_, text) => {
  expect(replaceIfShorter(text, MAX)).toBe(text)
})

test('smart encoding replaces the dash of a long text', () => {
  expect(replaceIfShorter(`${LONG} – y`, MAX)).toBe(`${LONG} - y`)
})
