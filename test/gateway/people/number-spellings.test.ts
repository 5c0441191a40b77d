import { writeSpellingPattern } from '../../../src/gateway/people/number-spellings.ts'
import { findCharacterClasses } from '../../../src/portable/phone/character-classes.ts'
import { readPhone } from '../../../src/portable/phone/read-phone.ts'
import { PHONE_TABLE } from '../../support/phone-table.ts'
import { openPreparedDb } from '../../support/server/start.ts'

const db = await openPreparedDb()
/** By the reader itself; other planes of Unicode have letters of Chinese and private characters. */
function* charactersBetween() {
  for (let code = 1; code < 0xe1000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    if (code === 0x20000) code = 0xe0000
    const character = String.fromCodePoint(code)
    if (readPhone(`+49 151 2${character}0000010`).phone === '+4915120000010') yield character
  }
}

test('the search in texts finds a number with every character between its digits that the reader of numbers ignores', async () => {
  const characters = [...charactersBetween()]
  expect(characters.length).toBeGreaterThan(4_300)
  const { rows } = await db.query(
    `select c from unnest($1::text[]) c where not 'Ring +49 151 2' || c || '0000010!' ~ $2`,
    [characters, writeSpellingPattern('+4915120000010')],
  )
  expect(rows).toEqual([])
})

test('the search in texts finds a number in the digits of every script', async () => {
  const zeros = [...findCharacterClasses().digits[0]!]
  expect(zeros.length).toBeGreaterThan(60)
  const digits = zeros.map((_, script) =>
    [...'015120000010']
      .map((digit) => [...findCharacterClasses().digits[Number(digit)]!][script])
      .join(''),
  )
  expect(digits.map((text) => readPhone(text, 'DE').phone)).toEqual(
    digits.map(() => '+4915120000010'),
  )
  const { rows } = await db.query('select d from unnest($1::text[]) d where not d ~ $2', [
    digits,
    writeSpellingPattern('+4915120000010'),
  ])
  expect(rows).toEqual([])
})

test('the search in texts finds every number of the table in the spelling of the table', async () => {
  const written = PHONE_TABLE.filter(([, , , number]) => number.startsWith('+'))
  expect(written.length).toBeGreaterThan(140)
  const missed = []
  for (const [form, country, , number] of written)
    if (!(await finds(number, `Ring ${form}, or write`))) missed.push([form, country, number])
  // short numbers alone may be other words, and these digits may be a date
  expect(missed).toEqual([
    ['611 1234', 'IS', '+3546111234'],
    ['312345', 'AD', '+376312345'],
  ])
})

const finds = async (number: string, text: string) =>
  (await db.query('select $1 ~ $2', [text, writeSpellingPattern(number)])).rows[0]![0]

test.each([
  ['E.164', '+4915112345678', 'Ring +4915112345678.'],
  ['with 00 and spaces', '+4915112345678', '0049 151 12345678'],
  ['with a 0 in brackets', '+4915112345678', '+49 (0) 151/123-456-78'],
  ['with a leading 0', '+4915112345678', '0151 12345678'],
  ['in a query', '+4915112345678', 'to=%2B4915112345678&body=Hi'],
  ['eight digits in pairs', '+4520261015', 'Ring 20 26 10 15'],
  ['eight digits with a calling code', '+4520261015', 'Ring +45 20261015'],
  ['eight digits alone, which are no date', '+4520991315', 'Ring 20991315'],
  ['eight digits with a dash in the middle', '+4520261015', 'Ring 2026-1015'],
  ['with an en dash', '+4915177700001', 'Ring 0151–77700001'],
  ['with a hyphen that does not break', '+4915177700001', 'Ring 0151‑777‑00001'],
  ['with invisible marks', '+4915177700001', 'Ring \u202a+49\u200b151 77700001\u202c'],
  ['in Arabic digits', '+4915177700001', 'اتصل ٠١٥١٧٧٧٠٠٠٠١'],
  ['in fullwidth signs', '+4915177700001', 'Ring （０１５１）　７７７０－０００１'],
  ['with thousands and decimals', '+491701234567', 'phone: 1,701,234,567.00'],
  ['over two lines', '+4915177700001', 'Ring 0151\n77700001'],
  ['with six blanks', '+4915177700001', 'Ring 0151      77700001'],
  ['with Mexico’s former 1', '+525512345678', 'Ring +5215512345678 or 0445512345678'],
  ['without Argentina’s 9', '+5491123456789', 'Ring +541123456789'],
  ['with Argentina’s 15', '+5493512345678', 'Ring 0351 15 234-5678'],
  ['with eight digits of Brazil', '+5511987654321', 'Ring (11) 8765-4321'],
  ['with Russia’s 8', '+79123456789', 'Ring 89123456789'],
  ['with Hungary’s 06', '+36201234567', 'Ring 06201234567'],
  ['as called from the USA', '+4915177700001', 'Ring 0114915177700001'],
  ['as called from Russia', '+4915177700001', 'Ring 8~10 49 151 77700001'],
  ['a national number whose country is unknown', '0151 2000001', 'Ring 0151-200 0001'],
  ['with escapes of JSON', '+4915120000010', String.raw`{"text":"+49\u00a0151\n20\t00\u00A00010"}`],
  ['behind an escape of JSON', '+4915120000010', String.raw`{"text":"Ring\u00a00151\/20000010"}`],
  ['with dashes of a query', '+4915120000010', 'to=%2b49%2d151%2d20000010'],
  ['with blanks of a query', '+4915120000010', 'text=Ring%200151%C2%A02000%E2%80%AF0010%0a'],
  ['with blanks of HTML', '+4915120000010', '+49&nbsp;151&#160;20&#xA0;00&ndash;0010'],
  ['an American number', '+12026101514', '(202) 610-1514'],
])('the search in texts finds a number: %s', async (_, number, text) => {
  expect(await finds(number, text)).toBe(true)
})

test.each([
  ['a date', '+4520261015', 'On 2026-10-15'],
  ['a date with points', '+4515102026', 'am 15.10.2026'],
  ['an American date', '+4510152026', 'on 10/15/2026 at noon'],
  ['a date without separators', '+4520261015', 'Invoice 20261015'],
  ['a date and an hour', '+12026101514', '2026-10-15 14:00'],
  ['the end of a date and an hour', '+4510151430', '2026-10-15 14 30'],
  ['a date and an hour with points', '+4510202615', 'am 12.10.2026 15:00'],
  ['a date with en dashes', '+4520261015', 'On 2026–10–15'],
  ['a part of a longer number in Arabic digits', '+4520991315', '١٢٠٩٩١٣١٥٠'],
  ['a part of a longer number', '+4520991315', '1209913150'],
  ['a part of a longer number in a query', '+4520991315', 'order=1%2D120991315'],
  ['seven digits alone', '+3725123456', 'Order 5123456'],
])('the search in texts leaves other digits: %s', async (_, number, text) => {
  expect(await finds(number, text)).toBe(false)
})
