import { describePhoneFault } from '../../console/src/data/phone/phone-words.ts'
import { formatPhone, readPhonePart } from '../../src/portable/phone/format-phone.ts'
import { readTypedPhone } from '../../src/portable/phone/read-typed-phone.ts'

const ANNA = '+4915120000010'

test.each([
  ['E.164', ANNA, '', ANNA],
  ['national', '0151 20000010', 'DE', ANNA],
  ['national with a slash', '0151/20000010', 'DE', ANNA],
  ['national with brackets', '(0151) 200 000 10', 'DE', ANNA],
  ['national with long dashes', '0151–2000–0010', 'DE', ANNA],
  ['national with dots', '06.12.34.56.78', 'FR', '+33612345678'],
  ['a landline', '030 123456', 'DE', '+4930123456'],
  ['US, in brackets', '(415) 555-2671', 'US', '+14155552671'],
  ['UK, with a 0', '020 7946 0018', 'GB', '+442079460018'],
  ['Italy keeps its 0', '06 1234 5678', 'IT', '+390612345678'],
  ['a Spanish number, whose country has no trunk prefix', '612 34 56 78', 'ES', '+34612345678'],
  ['Russia dials 8', '8 912 345-67-89', 'RU', '+79123456789'],
  ['00', '004915120000010', '', ANNA],
  ['00, where it is not dialed so', '0049 151 20000010', 'US', ANNA],
  ["011, the US's way abroad", '011 49 151 20000010', 'US', ANNA],
  ["0011, Australia's way abroad", '0011 49 151 20000010', 'AU', ANNA],
  ['+ and (0)', '+49 (0)151 20000010', '', ANNA],
  ['+ and ( 0 )', '+43 ( 0 ) 664 1234567', 'DE', '+436641234567'],
  ["Italy's (0) is dialed", '+39 (0)6 1234 5678', '', '+390612345678'],
  ['a country in brackets', '(+49) 151 20000010', '', ANNA],
  ['a number of another country with +', '+33 6 12 34 56 78', 'DE', '+33612345678'],
  ['a number with + while the account has no such country', ANNA, 'ZZ', ANNA],
  ['a link', 'tel:+49-151-20000010', '', ANNA],
  ['a link of a national number', 'sms:015120000010?body=hi', 'DE', ANNA],
  ['a name and brackets', 'Anna <+4915120000010>', '', ANNA],
  ['a name, national', 'Anna Maier <0151 20000010>', 'DE', ANNA],
  ['words around it', 'Anna: 0151 20000010 (mobil)', 'DE', ANNA],
  ['no-break spaces', '+49\u00a0151\u202f20000010', '', ANNA],
  ['marks of direction', '\u202a+49 151 20000010\u202c', '', ANNA],
  ['wide digits', '＋４９ １５１ ２００００010', '', ANNA],
  ['Arabic digits', '٠١٥١٢٠٠٠٠٠١٠', 'DE', ANNA],
  ['a spreadsheet dropped the 0', '15120000010', 'DE', ANNA],
  ['a spreadsheet dropped the +', '4915120000010', 'DE', ANNA],
  ['by Java, as a double', '4.915120000012E12', 'DE', '+4915120000012'],
  ['by Java, as a double that ends with a zero', '4.91512000001E12', 'DE', ANNA],
  ['by Java, national', '1.5120000012E10', 'DE', '+4915120000012'],
  ['by Go, that ends with a zero', '4.91512000001e+12', 'DE', ANNA],
  ['by Go, that ends with two zeros', '4.9151200001e+12', 'DE', '+4915120000100'],
  ['by Java, in the US', '1.4155552671E10', 'US', '+14155552671'],
  ['by a spreadsheet with all digits', '4.915120000010E+12', 'DE', ANNA],
  ['by a spreadsheet with all digits and a comma', '4,915120000010E+12', 'DE', ANNA],
  ['by C with all digits', '4.9151200000100000e+12', 'DE', ANNA],
  ['by C with a sign', '+4.915120000010e+012', '', ANNA],
  ['by an engineer', '4915.120000010E+9', 'DE', ANNA],
  ['with a zero before its point', '0.4915120000010E13', 'DE', ANNA],
  ['a new range, written out', '+44 7700 900123', '', '+447700900123'],
])('a number typed %s is read as $3', (_, text, country, phone) => {
  expect(readTypedPhone(text, country)).toEqual({ phone })
})

test.each([
  ['nothing', ' ', 'DE', 'No number'],
  ['words', 'call me', 'DE', 'Not a phone number'],
  [
    'a link with an extension',
    'tel:+49-151-20000010;ext=5',
    '',
    'A text cannot go to an extension',
  ],
  ['a short code', '72722', 'DE', 'A short code'],
  ['two numbers', '2 people 0151 20000010', 'DE', 'Not a phone number'],
  ['only a plus', '+', 'DE', 'Not a phone number'],
  ['rounded by a spreadsheet', '4,91512E+12', 'DE', 'The spreadsheet has rounded this number'],
  ['rounded to eight digits', '4.9151123E+12', 'DE', 'The spreadsheet has rounded this number'],
  ['rounded by a float of Java', '4.9151123E12', 'DE', 'The spreadsheet has rounded this number'],
  ['rounded to twelve digits', '4.91511234567E+12', 'DE', 'The spreadsheet has rounded this'],
  ['rounded by C', '4.91512e+12', 'DE', 'The spreadsheet has rounded this number'],
  ['rounded by Go', '4.9151123e+12', 'DE', 'The spreadsheet has rounded this number'],
  ['rounded without decimals', '5E+12', 'DE', 'The spreadsheet has rounded this number'],
  ['an exponent without an end', '4.915120000010E999999999', 'DE', 'The spreadsheet has rounded'],
  ['half a number', '4.9151200000105E12', 'DE', 'The spreadsheet has rounded this number'],
  ['a small fraction', '4.915120000010E-12', 'DE', 'The spreadsheet has rounded this number'],
  ['a negative number', '-4.915120000010E12', 'DE', 'The spreadsheet has rounded this number'],
  ['national, and no country is known', '0151 20000010', '', 'No country in the number'],
  ['bare digits, and no country is known', '4915120000010', '', 'No country in the number'],
  ['a country that does not exist', '+999 1234567', 'DE', 'No country has this code'],
  ['too short', '+4911', '', 'Too short for a phone number (Germany)'],
  ['too short, national', '015', 'DE', 'Too short for a phone number (Germany)'],
  ['too long', '+49 151 20000010 1234', '', 'Too long for a phone number (Germany)'],
  ['too long, national', '(415) 555-26712', 'US', 'Too long for a phone number (United States)'],
  ['a digit is missing', '0151 2000001', 'DE', 'Germany has no such number'],
])('a number typed as %s is refused: $3', (_, text, country, words) => {
  const { fault } = readTypedPhone(text, country)
  expect(fault && describePhoneFault(fault)).toContain(words)
})

test('every number that is read has E.164 form', () => {
  for (const country of ['', 'DE', 'US', 'IT', 'AU'])
    for (const text of [
      '0',
      '00',
      '+0',
      '<>',
      '<',
      '()',
      'E',
      '1e5',
      '9'.repeat(400),
      '+'.repeat(400),
    ])
      expect(readTypedPhone(text, country).phone ?? '+4915120000').toMatch(/^\+[1-9]\d{6,14}$/)
})

test.each([
  [ANNA, '+49 1512 0000010'],
  ['+14155552671', '+1 415 555 2671'],
  ['+491512000', '+49 1512000'],
  ['+999123456', '+999123456'],
  ['TELEKOM', 'TELEKOM'],
  ['72722', '72722'],
  ['', ''],
])('the phone number "%s" is shown as "%s"', (phone, shown) => {
  expect(formatPhone(phone)).toBe(shown.replaceAll(' ', '\u00a0'))
})

test.each([
  ['0151 2000', 'DE', '1512000'],
  ['0151 2000', '', '1512000'],
  ['0151 20000010', 'DE', ANNA],
  ['0049 151', 'DE', '+49151'],
  ['+49 1512', '', '+491512'],
  ['+49 1512 0000010', '', ANNA],
  ['Anna <0151 20000010>', 'DE', ANNA],
  ['20000010', 'DE', '20000010'],
  ['2345678', 'DE', '2345678'],
  ['0000123', 'DE', '0000123'],
  ['4155552671', 'US', '4155552671'],
  ['06 12345678', 'IT', '+390612345678'],
  ['11 8765-4321', 'BR', '+5511987654321'],
  ['12', 'DE', ''],
  ['Anna', 'DE', ''],
  ['No. 77', 'DE', ''],
])('"%s" typed in "%s" is searched as "%s"', (text, country, part) => {
  expect(readPhonePart(text, country)).toBe(part)
})
