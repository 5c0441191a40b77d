import { expect, test } from 'vitest'
import { pickFields } from '../../../src/records/render/pick.ts'

const RECORD = JSON.stringify({
  id: 'r1',
  'k.l': { m: 1, n: 2 },
  meta: { b: 1, a: [{ y: 2, x: '<p>one two</p>' }, { x: 'z' }] },
  mixed: [{ a: 1 }, 2],
  title: '<b>bold</b> text',
})
const WHOLE = JSON.parse(RECORD)
const META = WHOLE.meta

test.each([
  ['a path through a list', 'meta.a.x', { meta: { a: [{ x: '<p>one two</p>' }, { x: 'z' }] } }],
  ['an index is no path', 'meta.a.0', { meta: { a: [{}, {}] } }],
  ['a longer path beside a whole key', 'meta,meta.b', { meta: META }],
  ['a key with a dot', 'k.l.m', { 'k.l': { m: 1 } }],
  ['a star spares what is named', '*,meta.b,mixed:excerpt(1)', { ...WHOLE, meta: { b: 1 } }],
  ['a trailing dot is none', 'id.', { id: 'r1' }],
  ['excerpt with spaces', 'title:excerpt( 6 , true )', { title: 'bold t...' }],
  ['excerpt without parentheses', 'title:excerpt 4', { title: 'bold' }],
  ['excerpt of hexadecimal length', 'title:excerpt(0x4)', { title: 'bold' }],
  ['excerpt of octal length', 'title:excerpt(04)', { title: 'bold' }],
  ['excerpt by a star', '*:excerpt(2),meta.b,mixed,k.l', { ...WHOLE, meta: { b: 1 }, title: 'bo' }],
  ['a backslash does not escape a comma', 'id\\,title', { title: '<b>bold</b> text' }],
] as const)('%s: %s', (_, fields, picked) => {
  expect(JSON.parse(pickFields(RECORD, fields))).toEqual(picked)
})

test.each([
  ['no modifier after the colon', 'id:'],
  ['excerpt beyond 64 bits', 'title:excerpt(99999999999999999999)'],
  ['parts of a list of this and that', 'mixed.a'],
])('%s leaves no body: %s', (_, fields) => {
  expect(pickFields(RECORD, fields)).toBe('')
})

test('objects come out sorted by the bytes of their keys, as Go writes maps', () => {
  const json = '{"b":{"lon":1,"lat":2},"B":1e21,"\u{1F600}":-0,"\uFB00":"<&>","10":1,"9":2}'
  expect(pickFields(json, '*')).toBe(
    '{"10":1,"9":2,"B":1e+21,"b":{"lat":2,"lon":1},"\uFB00":"\\u003c\\u0026\\u003e","\u{1F600}":-0}',
  )
})

test('of a list, the paths are those of its items; the envelope stays', () => {
  const list = '{"items":[{"a":1,"b":2},{"a":3}],"page":1}'
  expect(pickFields(list, 'a', 'items')).toBe('{"items":[{"a":1},{"a":3}],"page":1}')
  expect(pickFields(list, 'page', 'items')).toBe('{"items":[{},{}],"page":1}')
})
