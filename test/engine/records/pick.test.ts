import { makeExcerpt } from '../../../src/engine/records/excerpt.ts'
import { pickFields, pickFieldsEach } from '../../../src/engine/records/pick.ts'

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))
const paths = (count: number) => Array.from({ length: count }, (_, i) => `data.k${i}`).join(',')

test('fields picks 500 paths of a record with a thousand keys', () => {
  const json = JSON.stringify({ id: 'a', data: keys(1_000) })
  expect(JSON.parse(pickFields(json, paths(500)))).toEqual({ data: keys(500) })
})

test('fields with too many paths for the keys of a record is refused with 400', async () => {
  const json = JSON.stringify({ id: 'a', data: keys(30_000) })
  expect(() => pickFields(json, paths(1_500))).toThrow(expect.objectContaining({ status: 400 }))
  await expect(pickFieldsEach([json], paths(1_500))).rejects.toMatchObject({ status: 400 })
})

test('the excerpts of a record share 128 KiB: after a longer text the excerpts of its other fields are empty', async () => {
  const long = `<p>${'a'.repeat(130 << 10)}</p>`
  const record = JSON.stringify({ id: 'a', first: long, second: '<p>b</p>' })
  const fields = 'first:excerpt(3),second:excerpt(3)'
  const items = await pickFieldsEach(
    [record, record, JSON.stringify({ second: '<p>b</p>' })],
    fields,
  )
  expect(items.map((item) => JSON.parse(item))).toEqual([
    { first: 'aaa', second: '' },
    { first: 'aaa', second: '' },
    { second: 'b' },
  ])
  expect(makeExcerpt('<p>b</p>', 3, true)).toBe('b')
})
