import {
  mergeFreshMembers,
  pickChangedMembers,
} from '../../../console/src/data/use/draft-members.ts'

const STORED = { name: 'Desk phone', daily: '', days: ['mon'] }

test.each([
  ['no field', STORED, {}],
  ['a text', { ...STORED, name: 'Phone' }, { name: 'Phone' }],
  ['a list', { ...STORED, days: ['mon', 'tue'] }, { days: ['mon', 'tue'] }],
  ['a field that is empty now', { ...STORED, name: '' }, { name: '' }],
])('a save after a change of %s writes $2', (_, now, changed) => {
  expect(pickChangedMembers(STORED, now)).toEqual(changed)
})

const FRESH = { name: 'Front desk', daily: '100', days: ['mon'] }

test.each([
  ['completely where the user typed nothing', STORED, FRESH],
  [
    'except in fields where the user typed',
    { ...STORED, name: 'Phone' },
    { ...FRESH, name: 'Phone' },
  ],
  ['even if the typed value is the stored one now', { ...STORED, daily: '100' }, FRESH],
])('a form follows changes of its record %s', (_, now, shown) => {
  expect(mergeFreshMembers(STORED, FRESH, now)).toEqual(shown)
})

test('a form of one text follows its record until the user types', () => {
  expect(mergeFreshMembers('', 'a', '')).toBe('a')
  expect(mergeFreshMembers('', 'a', 'typed')).toBe('typed')
})
