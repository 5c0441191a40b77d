import { holdRows } from '../../../console/src/data/use/hold-rows.ts'

const make = (ids: string, version = 1) => [...ids].map((id) => ({ id, version }))
const read = (shown: string, now: string) => {
  const { rows, waiting } = holdRows(make(shown), make(now, 2))
  return [rows.map(({ id }) => id).join(''), waiting]
}

test.each([
  ['new rows before the shown ones', 'abc', 'xyab', 'abc', 2],
  ['a new row between the shown ones', 'abc', 'axbc', 'abc', 1],
  ['rows after the last shown one', 'abc', 'abcde', 'abcde', 0],
  ['both, when the list has grown', 'abc', 'xabcde', 'abcde', 1],
  ['nothing but new rows', 'abc', 'xyz', 'abc', 3],
])('shown rows keep their places beside %s', (_, shown, now, rows, waiting) => {
  expect(read(shown, now)).toEqual([rows, waiting])
})

test('a shown row has the values of the new read', () => {
  expect(holdRows(make('ab'), make('xa', 2)).rows).toEqual([...make('a', 2), ...make('b')])
})
