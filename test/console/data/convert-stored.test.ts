import { setAccountLocale } from '../../../console/src/data/account-locale.ts'
import type { ContactField } from '../../../console/src/data/record-types.ts'
import { convertStored } from '../../../console/src/pages/contact-fields/convert-stored.ts'
import { UNKNOWN_LOCALE } from '../../../src/portable/account-locale.ts'

const makeField = (type: ContactField['type']) =>
  ({
    id: 'f',
    key: 'since',
    name: 'Since',
    type,
    choices: type === 'choice' ? ['Gold', 'Silver'] : null,
    former: null,
  }) as ContactField

const FITS = { kind: 'fits' }
const MISFIT = { kind: 'misfit' }
const become = (value: unknown) => ({ kind: 'converts', value })

test.each([
  ['a day with dots', 'date', '1.12.2026', become('2026-12-01')],
  ['a day at midnight, as Excel writes it', 'date', '2026-12-01 00:00:00', become('2026-12-01')],
  ['a day as the server writes it', 'date', '2026-12-01', FITS],
  ['a day with a time that would be lost', 'date', '2026-12-01 09:30', MISFIT],
  ['a day with slashes, which may be two days', 'date', '01/12/2026', MISFIT],
  ['a day that no year has', 'date', '32.13.2026', MISFIT],
  ['a day at midnight of UTC', 'date', '2026-12-01 00:00:00.000Z', become('2026-12-01')],
  ['several days', 'date', '2026-12-01 - 2026-12-03', MISFIT],
  ['a number in quotes', 'number', '1500', become(1500)],
  ['a number with a comma', 'number', '12,5', become(12.5)],
  ['a number', 'number', 1500, FITS],
  ['a number with a comma before three digits', 'number', '1,500', MISFIT],
  ['a choice in other letters', 'choice', 'gold', become('Gold')],
  ['a text that is no choice', 'choice', 'Bronze', MISFIT],
  ['a list in a text field', 'text', ['a'], MISFIT],
] as const)(
  '%s in a field of the type %s, stored as %j, becomes %j',
  (_, type, stored, becomes) => {
    expect(convertStored(makeField(type), stored)).toEqual(becomes)
  },
)

test('the account decides on the order of a day with slashes, and on midnight of UTC', () => {
  setAccountLocale({ language: 'en', country: 'US', zone: 'America/New_York' })
  const convert = (stored: string) => convertStored(makeField('date'), stored)
  expect(convert('01/12/2026')).toEqual(become('2026-01-12'))
  expect(convert('2026-12-01 00:00:00.000Z')).toEqual(MISFIT)
  setAccountLocale(UNKNOWN_LOCALE)
})
