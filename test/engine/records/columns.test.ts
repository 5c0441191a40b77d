import { completeCollection } from '../../../src/engine/collections/definition/complete-collection.ts'
import { parseNewCollection } from '../../../src/engine/collections/definition/read-collection.ts'
import { makeExcerpt } from '../../../src/engine/records/excerpt.ts'
import { pickFields } from '../../../src/engine/records/pick.ts'
import { makeBlankValues, prepareValues } from '../../../src/engine/records/prepare.ts'
import { toRow, toValues } from '../../../src/engine/records/record-row.ts'

const names = ['__proto__', 'constructor', 'toString']
const odd = completeCollection(
  parseNewCollection({ name: 'odd', fields: names.map((name) => ({ name, type: 'text' })) }),
)

test('fields may be named like members of every JavaScript object', () => {
  const row = ['id', 'a', 'b', 'c']
  expect(toRow(odd, toValues(odd, row))).toEqual(row)
  expect(toRow(odd, makeBlankValues(odd))).toEqual(['', '', '', ''])
  const body = JSON.parse('{"__proto__":"x","toString":"z"}')
  expect(
    toRow(odd, prepareValues(odd, body, { base: toValues(odd, row), isSuperuser: true }).values),
  ).toEqual(['id', 'x', 'b', 'z'])
  expect(toRow(odd, prepareValues(odd, body, { isSuperuser: true }).values)).toEqual([
    '',
    'x',
    '',
    'z',
  ])
})

test('picked fields may contain dots, and * applies an excerpt to all other fields', () => {
  const record = '{"id":"r1","k.l":{"m":1,"n":2},"mixed":[{"a":1},2],"title":"<b>bold</b> text"}'
  expect(pickFields(record, 'k.l.m')).toBe('{"k.l":{"m":1}}')
  expect(JSON.parse(pickFields(record, '*:excerpt(2),mixed,k.l'))).toEqual({
    ...JSON.parse(record),
    title: 'bo',
  })
})

test('object keys are sorted by their bytes, as Go writes maps', () => {
  const json = '{"b":{"lon":1,"lat":2},"B":1e21,"\u{1F600}":-0,"\uFB00":"<&>","10":1,"9":2}'
  expect(pickFields(json, '*')).toBe(
    '{"10":1,"9":2,"B":1e+21,"b":{"lat":2,"lon":1},"\uFB00":"<&>","\u{1F600}":-0}',
  )
})

test.each([
  ['deeply nested tags', `start${'<b>'.repeat(100_000)}deep`],
  ['deeply nested blocks', `start${'<div>'.repeat(100_000)}deep`],
  [
    'tags that each block repeats',
    `start<div>${Array.from({ length: 400 }, (_, i) => `<b a=${i}>`).join('')}</div>${'<p><img>'.repeat(10_000)}deep`,
  ],
  ['a long text', `start<p a="${'x'.repeat(1 << 20)}">deep`],
])('an excerpt of %s reads only the beginning', (_, html) => {
  const before = process.cpuUsage()
  expect(makeExcerpt(html, 10, false)).toBe('start')
  const { user } = process.cpuUsage(before)
  expect(user / 1000).toBeLessThan(2_000)
})

test('an excerpt reads through 400 nested tags', () => {
  expect(makeExcerpt(`${'<b>'.repeat(400)}deep`, 10, false)).toBe('deep')
})
