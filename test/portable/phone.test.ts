import { needsCountry, readSender } from '../../src/portable/phone/incoming-sender.ts'
import { readPhone } from '../../src/portable/phone/read-phone.ts'
import { splitAtSpaces } from '../../src/portable/phone/split-spaced-list.ts'
import { PHONE_TABLE } from '../support/phone-table.ts'

const resultOf = (...given: Parameters<typeof readPhone>) => {
  const { phone, fault } = readPhone(...given)
  return fault?.problem === 'short-code' ? 'short' : (phone ?? '')
}

test('the table has 150 different numbers', () => {
  expect(PHONE_TABLE.length).toBeGreaterThanOrEqual(150)
  expect(new Set(PHONE_TABLE.map(([form, country]) => `${form} ${country}`)).size).toBe(
    PHONE_TABLE.length,
  )
})

test.each(PHONE_TABLE)(
  '%j in %j is read as "$2", or as "$3" if its digits may begin with a country code',
  (form, country, number, inWorld) => {
    expect(resultOf(form, country)).toBe(number)
    expect(resultOf(form, country, { bare: 'world' })).toBe(inWorld)
  },
)

test.each(PHONE_TABLE)(
  'a sender %j in %j is stored as its number or unchanged',
  (form, country, number, inWorld) => {
    const expected = country === '' ? number : inWorld
    expect(readSender(form, country)).toBe(
      expected === '' || expected === 'short' ? form : expected,
    )
    if (country !== '' && expected.startsWith('+') && readSender(form, '') !== expected)
      expect(needsCountry(form)).toBe(true)
  },
)

test('every number that is read has E.164 form, however hostile the input', () => {
  const texts = [
    '0',
    '00',
    '+0',
    '()',
    'E',
    '9'.repeat(400),
    '+'.repeat(400),
    ' '.repeat(9_000),
    `${'(0)'.repeat(900)}1`,
  ]
  for (const country of ['', 'DE', 'US', 'IT', 'AU', 'zz', '49', '__proto__'])
    for (const text of texts)
      for (const bare of ['home', 'world'] as const)
        expect(readPhone(text, country, { bare }).phone ?? '+4915120000').toMatch(
          /^\+[1-9]\d{6,14}$/,
        )
})

test.each([
  ['+4915120000010 +33612345678', 'DE', ['+4915120000010', '+33612345678']],
  ['+49 151 20000010', 'DE', ['+49 151 20000010']],
  ['+49 151 20000010 +33 6 12 34 56 78', '', ['+49 151 20000010', '+33 6 12 34 56 78']],
  ['0151 20000010', 'DE', ['0151 20000010']],
  ['4915120000010 447911123456', '', ['4915120000010', '447911123456']],
  ['015120000010 015120000011', 'DE', ['015120000010', '015120000011']],
  ['nobody here', 'DE', ['nobody', 'here']],
  ['', 'DE', []],
])('the list %j in %j is split into %j', (list, country, numbers) => {
  expect(splitAtSpaces(list, country, { bare: 'world' })).toEqual(numbers)
})

test('a text of more than 300 characters is no number', () => {
  const blanks = (count: number) => `+49 151${' '.repeat(count)}20000010`
  expect(readPhone(blanks(285))).toEqual({ phone: '+4915120000010' })
  expect(readPhone(blanks(286)).fault?.problem).toBe('not-a-number')
})
