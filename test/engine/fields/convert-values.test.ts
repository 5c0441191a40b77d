import { toText, toTexts } from '../../../src/engine/fields/convert-values.ts'
import { checkValue } from '../../../src/engine/fields/field-types.ts'
import { isJson, minifyJson, writeSortedJson } from '../../../src/engine/fields/json-text.ts'
import { formatDate, toDate } from '../../../src/engine/fields/parse-date.ts'
import { fieldOf, store } from './field.ts'

// The casts of single values are recorded: test/conformance, crud.

test('NUL is removed from texts', () => expect(toText('a\0b')).toBe('ab'))

test.each([
  ['a scalar', 5, ['5']],
  ['a malformed list', '["a"', ['["a"']],
  ['a list with a number in it, as Go leaves it', '[1,"a"]', ['a', '[1,"a"]']],
  ['a list with a list in it', ['a', ['b']], []],
  ['an object', {}, []],
] as const)('%s is read as the list of texts $2', (_, raw, texts) =>
  expect(toTexts(raw)).toEqual(texts),
)

test('a date is the same after formatting and reading', () => {
  const at = new Date('2026-11-20T07:00:00.123Z')
  expect(toDate(formatDate(at))).toEqual(at)
  expect(toDate('')).toBeUndefined()
})

test('a date beyond year 9999 is above a maximum, and a date before year 0 below a minimum', () => {
  const field = fieldOf('date', {
    min: '2024-01-01 00:00:00.000Z',
    max: '2024-12-31 00:00:00.500Z',
  })
  expect(checkValue(field, '10000-01-01 00:00:00.000Z')?.code).toBe(
    'validation_max_less_equal_than_required',
  )
  expect(checkValue(field, '-0001-01-01 00:00:00.000Z')?.code).toBe(
    'validation_min_greater_equal_than_required',
  )
})

const json = fieldOf('json')

test.each([
  [
    'an object is stored with its keys sorted',
    { b: 1, a: { d: 1, c: 2 } },
    '{"a":{"c":2,"d":1},"b":1}',
  ],
  ['keys that look like numbers are sorted as texts', { '2': 1, '10': 2 }, '{"10":2,"2":1}'],
  ['keys are sorted by their bytes', { '\u{1F600}': 1, '\uFB00': 2 }, '{"\uFB00":2,"\u{1F600}":1}'],
  ['markup is stored without escapes', '<&>', '"<&>"'],
  ['minus zero keeps its sign', [-0], '[-0]'],
  [
    'a text that is a JSON object is stored with its keys in their order and without spaces',
    '{"b":1, "a" : 1.0}',
    '{"b":1,"a":1.0}',
  ],
  ['a text that is a number is stored as the number', '1.50', '1.5'],
  ['a text that only begins like JSON is stored as a text', '[1', '"[1"'],
  ['a text with a leading zero is stored as a text', '01', '"01"'],
  ['a key with NUL is sorted by its cleaned form', { a: 1, '\0': 2 }, '{"a":1,"\ufffd":2}'],
  [
    'NUL and half a pair of surrogates become replacement characters',
    { a: '\0\ud800' },
    '{"a":"\ufffd\ufffd"}',
  ],
  [
    'escapes of NUL and of half a pair become replacement characters',
    '{"a":"\\u0000\\ud800"}',
    '{"a":"\ufffd\ufffd"}',
  ],
] as const)('JSON: %s', (_, raw, stored) => expect(store(json, raw)).toBe(stored))

test.each([
  [
    'spaces are removed between values, not within them',
    '{ "a b" : [ 1 , "c d" ] }',
    '{"a b":[1,"c d"]}',
  ],
  ['a duplicate key is kept', '{"a":1,"b":{"c":1,"c":2},"a":3}', '{"a":1,"b":{"c":1,"c":2},"a":3}'],
  ['escapes are kept', '"\\u00e9\\/"', '"\\u00e9\\/"'],
  ['long integers are kept', '[12345678901234567890]', '[12345678901234567890]'],
] as const)('JSON is minified: %s', (_, text, short) => expect(minifyJson(text)).toBe(short))

test('JSON nesting is limited to 1,000 levels', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect(isJson(nested(1000))).toBe(true)
  expect(isJson(nested(1001))).toBe(false)
  expect(isJson(JSON.stringify('['.repeat(2000)))).toBe(true)
  let value: unknown = 1
  for (let i = 0; i < 50_000; i++) value = [value]
  expect(isJson(writeSortedJson(value))).toBe(false)
})
