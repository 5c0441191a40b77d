import { complete, readNew } from '../../../src/collections/definition/complete.ts'
import { toRow, toValues } from '../../../src/records/columns.ts'
import { blankValues, prepare } from '../../../src/records/input/prepare.ts'

const names = ['__proto__', 'constructor', 'toString']
const odd = complete(readNew({ name: 'odd', fields: names.map((name) => ({ name, type: 'text' })) }))

test('fields may be called as what every object has', () => {
  const row = ['id', 'a', 'b', 'c']
  expect(toRow(odd, toValues(odd, row))).toEqual(row)
  expect(toRow(odd, blankValues(odd))).toEqual(['', '', '', ''])
  const body = JSON.parse('{"__proto__":"x","toString":"z"}')
  expect(toRow(odd, prepare(odd, body, { base: toValues(odd, row), isSuperuser: true }).values)).toEqual([
    'id',
    'x',
    'b',
    'z',
  ])
  expect(toRow(odd, prepare(odd, body, { isSuperuser: true }).values)).toEqual(['', 'x', '', 'z'])
})
