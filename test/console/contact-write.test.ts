import { makeContactWrite } from '../../console/src/pages/contacts/contact-write.ts'

const KNOWN = { id: 'ben', name: 'Ben', data: { city: 'Bern', points: 12 }, groups: ['news'] }
const ROW = { name: 'Ben', phone: '+4915120000010', data: { city: 'Bern', points: '12', note: '' } }
const OPTIONS = { user: 'ann', group: '', overwrite: true, consent: undefined }

test.each([
  ['has the same values', {}, {}, undefined],
  ['has the same values and is in the group', {}, { group: 'news' }, undefined],
  ['joins a group', {}, { group: 'club' }, { 'groups+': 'club' }],
  ['has another name', { name: 'Benjamin' }, {}, { name: 'Benjamin' }],
  ['has no name in the file', { name: '' }, {}, undefined],
  ['has another value', { data: { city: 'Chur' } }, {}, { data: { city: 'Chur', points: 12 } }],
  ['is not to be changed', { name: 'Benjamin' }, { overwrite: false }, undefined],
])('an import of a known contact who %s stores only what differs', (_, row, options, values) => {
  const write = makeContactWrite({ ...ROW, ...row } as typeof ROW, KNOWN, {
    ...OPTIONS,
    ...options,
  })
  expect(write).toEqual(values && { id: 'ben', values })
})

test('an import of an unknown contact stores it with its group', () => {
  expect(makeContactWrite(ROW, undefined, { ...OPTIONS, group: 'club' })).toEqual({
    values: { user: 'ann', ...ROW, groups: ['club'] },
  })
})
