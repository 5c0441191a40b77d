import { decodeForm, decodeText, readCharset } from '../../../src/platform/tools/charsets.ts'

test.each([
  ['text/plain', ''],
  ['text/plain; charset=utf-8', 'utf-8'],
  ['text/plain;charset="ISO-8859-1"', 'ISO-8859-1'],
  ['text/xml; boundary=x; Charset = windows-1252 ; y=z', 'windows-1252'],
  ['text/plain; charset=', ''],
])('the charset of %s is "%s"', (type, charset) => {
  expect(readCharset(type)).toBe(charset)
})

test.each<[charset: string, hex: string, text: string]>([
  ['', '47723c3c', 'Gr<<'],
  ['', 'c3bc', 'ü'],
  ['', 'efbbbf41', 'A'],
  ['', 'efbfbd', '\ufffd'],
  ['UTF-8', 'c3bc', 'ü'],
  ['iso-8859-1', 'fc80', 'ü€'],
  ['latin1', 'fc', 'ü'],
  ['iso-8859-15', 'a4', '€'],
  ['windows-1251', 'c6', 'Ж'],
  ['koi8-r', 'f6', 'Ж'],
  ['utf-16be', '0416', 'Ж'],
  ['utf-16le', '1604', 'Ж'],
  ['shift_jis', '8365', 'テ'],
  ['gb18030', 'c4e3', '你'],
  ['big5', 'a741', '你'],
  ['euc-kr', 'b0a1', '가'],
  ['us-ascii', '41', 'A'],
])('with the charset "%s" the bytes %s are decoded as "%s"', (charset, hex, text) => {
  expect(decodeText(Buffer.from(hex, 'hex'), charset)).toBe(text)
})

test.each<[charset: string, hex: string, message: string]>([
  ['', 'fc', 'The text is not valid in the charset utf-8.'],
  ['utf-8', 'c3', 'The text is not valid in the charset utf-8.'],
  ['utf-16be', '04', 'The text is not valid in the charset utf-16be.'],
  ['shift_jis', '83', 'The text is not valid in the charset shift_jis.'],
  ['utf-7', '41', 'The charset "utf-7" is not known.'],
  ['utf8mb4', '41', 'The charset "utf8mb4" is not known.'],
])('with the charset "%s" the bytes %s are refused: %s', (charset, hex, message) => {
  expect(() => decodeText(Buffer.from(hex, 'hex'), charset)).toThrow(message)
})

test.each<[form: string, charset: string, pairs: [string, string][]]>([
  [
    'a=1&b=%C3%BC+x&c',
    '',
    [
      ['a', '1'],
      ['b', 'ü x'],
      ['c', ''],
    ],
  ],
  [
    'a=%FC&%FC=b=c',
    'iso-8859-1',
    [
      ['a', 'ü'],
      ['ü', 'b=c'],
    ],
  ],
  [
    'a=100%&b=%zz',
    '',
    [
      ['a', '100%'],
      ['b', '%zz'],
    ],
  ],
  ['', '', []],
])('the form "%s" in "%s" is decoded as $2', (form, charset, pairs) => {
  expect(decodeForm(Buffer.from(form), charset)).toEqual(pairs)
})

test('a form is decoded up to its limit of fields', () => {
  expect(decodeForm(Buffer.from('a&b&c'), '', 2)).toEqual([
    ['a', ''],
    ['b', ''],
  ])
})
