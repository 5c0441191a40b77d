import {
  describeField,
  findValueFault,
  spellValue,
} from '../../../console/src/data/contact-field-words.ts'
import type { ContactField } from '../../../console/src/data/record-types.ts'

const makeField = (type: ContactField['type'], choices: string[] | null = null) =>
  ({ id: 'f', key: 'since', name: 'Since', type, choices, former: null }) as ContactField

it.each([
  ['date', '2026-12-01', 'Dec 1, 2026', '2026-12-01'],
  ['date', '01.12.2026', 'Dec 1, 2026', '2026-12-01'],
  ['date', '13.12.2026', 'Dec 13, 2026', '2026-12-13'],
  ['date', '31.02.2026', '31.02.2026', '31.02.2026'],
  ['number', '1500', '1,500', '1500'],
  ['number', '12,5', '12.5', '12.5'],
  ['number', '1.125', '1.125', '1.125'],
  ['number', '1.500', '1.500', '1.500'],
  ['number', 'a dozen', 'a dozen', 'a dozen'],
  ['choice', 'GOLD', 'Gold', 'Gold'],
  ['text', '13.12.2026', '13.12.2026', '13.12.2026'],
] as const)(
  'a %s that was stored as %s before its field had a type is shown as %s and edited as %s',
  (type, stored, shown, edited) => {
    const field = makeField(type, type === 'choice' ? ['Gold', 'Silver'] : null)
    expect(describeField({ data: { since: stored } }, field)).toBe(shown)
    expect(spellValue(field, stored)).toBe(edited)
  },
)

it.each([
  ['1.500', 'Since: 1.500 may mean 1500 or 1.5. Write one of the two'],
  ['1,125', 'Since: 1,125 may mean 1125 or 1.1250. Write one of the two'],
  ['12.5', undefined],
  ['1500', undefined],
])('a person who types the number %s is told: %s', (typed, words) => {
  expect(findValueFault(makeField('number'), typed)).toBe(words)
})
