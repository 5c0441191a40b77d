import { readTypedCode, readTypedLetters } from '../../src/portable/typed-code.ts'

test.each([
  '431977',
  ' 431977\n',
  '431 977',
  '4 3 1 9 7 7',
  '431\u00a0977',
  '431\u202f977',
  '43-19-77',
  '431\u2011977',
  '431–977',
  '431 - 977',
  '431.977',
  '431,977',
  '431977.',
  '431977!',
  '"431977"',
  '„431977“',
  '(431977)',
  '#431977',
  '\u200e431977\u200f',
  '431\u200b977\ufeff',
  '431\u00ad977',
  '４３１９７７',
  '٤٣١٩٧٧',
  '۴۳۱۹۷۷',
  '४३१ ९७७',
  '๔๓๑๙๗๗',
  '4️⃣3️⃣1️⃣9️⃣7️⃣7️⃣',
  '𝟒𝟑𝟏𝟗𝟕𝟕',
  'G-431977',
  'FB-431977',
  '2FA: 431977',
  'code 431977',
  'code431977',
  'Your code is 431977. Do not share it.',
  'Your code: 431977\n10 minutes',
  'Ihr Code ist 431 977. Geben Sie ihn nicht weiter.',
  'Shop24: 431-977 is your code, valid for 10 minutes.',
  'Your code is 431977. Do not share it.\n\n@shop24.example.com #431977',
  '<#> Your code is 431977.\n\nFA+9qCX9VSu',
  'Код ٤٣١٩٧٧',
  '验证码：431977。',
])('the code 431977 is read from what a person types: %j', (typed) => {
  expect(readTypedCode(typed)).toBe('431977')
})

test.each([
  ['abcdef', 'abcdef'],
  ['12ab34cd56', '12ab34cd56'],
  ['first 431977, then 431978', 'first 431977, then 431978'],
  ['431977 431978', '431977431978'],
  ['012345', '012345'],
  [' ', ''],
  ['---', ''],
  ['\u200b', ''],
  ['4'.repeat(501), '4'.repeat(501)],
])('%j, which is no single code, is read as %j', (typed, read) => {
  expect(readTypedCode(typed)).toBe(read)
})

test.each([
  'abcd-efgh-jkmn',
  'ABCD-EFGH-JKMN',
  'Abcd-efgh-jkmn.',
  'abcd–efgh–jkmn',
  'abcd—efgh—jkmn',
  'abcd\u2011efgh\u2011jkmn',
  'abcd−efgh−jkmn',
  'abcd\u00adefgh\u200bjkmn',
  'abcd efgh\u00a0jkmn',
  'abcdefghjkmn',
  '“abcd-efgh-jkmn”',
  'ａｂｃｄ－ｅｆｇｈ－ｊｋｍｎ',
  '• abcd-efgh-jkmn\n',
  '3. abcd-efgh-jkmn',
  'My code: abcd-efgh-jkmn',
  '\u200eabcd-efgh-jkmn\u200f',
])(
  'the recovery code abcd-efgh-jkmn is read from what a phone or word processor writes: %j',
  (typed) => {
    expect(readTypedLetters(typed)).toBe('abcdefghjkmn')
  },
)

test.each([
  ['abcd-efgh-jkmn abcd-efgh-jkmp', 'abcdefghjkmnabcdefghjkmp'],
  ['123456', '123456'],
  ['---', ''],
])('%j, which is no single recovery code, is read as %j', (typed, read) => {
  expect(readTypedLetters(typed)).toBe(read)
})
