import { keepUnchanged } from '../../../console/src/data/use/keep-unchanged.ts'

const OLD = [
  { id: 'a', status: 'sent', groups: ['x'] },
  { id: 'b', status: 'sent', groups: [] },
]
const copy = () => structuredClone(OLD)

test('a read without changes keeps the array', () => {
  expect(keepUnchanged(OLD, copy())).toBe(OLD)
})

test('a read keeps the objects of records that did not change', () => {
  const [first, second] = copy()
  const now = keepUnchanged(OLD, [{ ...first!, groups: ['y'] }, second!])
  expect(now[0]).toEqual({ id: 'a', status: 'sent', groups: ['y'] })
  expect(now[1]).toBe(OLD[1])
})

test.each([
  ['a new record', () => [{ id: 'c', status: '', groups: [] }, ...copy()], ['c', 'a', 'b']],
  ['a deleted record', () => copy().slice(1), ['b']],
  ['another order', () => copy().reverse(), ['b', 'a']],
])('a read with %s gives the records of the read', (_, read, ids) => {
  expect(keepUnchanged(OLD, read()).map(({ id }) => id)).toEqual(ids)
})
