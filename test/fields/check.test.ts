import { expect, test } from 'vitest'
import { formatNumber } from '../../src/fields/types/number.ts'
import { passwordError } from '../../src/fields/types/password.ts'
import { fieldOf, judge, store } from './field.ts'

test.each([
  ['text counted in code points', fieldOf('text', { max: 3 }), '😀😀😀', ''],
  ['text of 5,000 at most', fieldOf('text'), 'x'.repeat(5001), 'max_text_constraint'],
  ['pattern found anywhere', fieldOf('text', { pattern: '\\d' }), 'a1b', ''],
  ['pattern in Go’s syntax', fieldOf('text', { pattern: '^(?i)[[:alpha:]]+\\z' }), 'Ab1', 'invalid_format'],
  ['id with a dot', fieldOf('text', { primaryKey: true, pattern: '.' }), 'a.b', 'forbidden_pk_character'],
  ['id of a device', fieldOf('text', { primaryKey: true, pattern: '.' }), 'com1', 'reserved_pk'],
  ['0 passes any minimum', fieldOf('number', { min: 1 }), 0, ''],
  ['infinity', fieldOf('number'), 'Infinity', 'not_a_number'],
  ['url with a zone', fieldOf('url'), 'http://[fe80::1%25eth0]', ''],
  ['url with a number that is no octet', fieldOf('url'), 'http://[::ffff:1.2.3.400]', 'invalid_url'],
  ['url with a lone % in its query', fieldOf('url'), 'http://a.com/?off=100%#x', ''],
  ['url with a lone % in its path', fieldOf('url'), 'http://a.com/100%', 'invalid_url'],
  ['url with a lone % in its fragment', fieldOf('url'), 'http://a.com/#?100%', 'invalid_url'],
  ['url of a kind', fieldOf('url'), 'javascript:alert(1)', 'invalid_url'],
  [
    'too many before unknown ones',
    fieldOf('select', { values: ['a', 'b'], maxSelect: 2 }),
    ['x', 'y', 'z'],
    'too_many_values',
  ],
  [
    'a list in the text of a single choice',
    fieldOf('select', { values: ['a'], maxSelect: 1 }),
    '["a",1]',
    'too_many_values',
  ],
  ['and of a single relation', fieldOf('relation', { maxSelect: 1 }), '["a",1]', 'too_many_values'],
  ['too many files', fieldOf('file', { maxSelect: 2 }), ['a', 'b', 'c'], 'too_many_files'],
] as const)('%s', (_, field, raw, code) => expect(judge(field, raw)).toBe(code))

test.each([
  ['single: the last of several', fieldOf('select', { values: [], maxSelect: 1 }), ['a', 'b'], 'b'],
  ['single: a list in the last text', fieldOf('select', { values: [], maxSelect: 1 }), ['a', '["b"]'], 'b'],
  ['single: an empty one', fieldOf('relation', { maxSelect: 1 }), ['a', '[]'], ''],
  ['a list within a list', fieldOf('relation', { maxSelect: 2 }), [['a'], 'b'], []],
  ['of a file: one counts', fieldOf('file', { maxSelect: 2 }), [['a'], 'b', ['c', 'd'], [['a']]], ['a', 'b']],
  ['of a single file', fieldOf('file', { maxSelect: 1 }), [['a']], 'a'],
  ['point in a text', fieldOf('geoPoint'), '{"LON":7}', '{"lon":7,"lat":0}'],
  [
    'of two spellings of a key the smaller counts',
    fieldOf('geoPoint'),
    { lon: 1, LON: 3, lat: 2 },
    '{"lon":1,"lat":2}',
  ],
  ['point with a text in it', fieldOf('geoPoint'), { lon: '5', lat: 3 }, '{"lon":0,"lat":3}'],
] as const)('%s', (_, field, raw, stored) => expect(store(field, raw)).toEqual(stored))

test.each([
  [0, '0'],
  [-999999, '-999999'],
  [1e6, '1e+06'],
  [2500000.5, '2.5000005e+06'],
  [0.00012, '0.00012'],
  [-0.000012, '-1.2e-05'],
  [1e100, '1e+100'],
] as const)('%d in a sentence', (value, text) => expect(formatNumber(value)).toBe(text))

test.each([
  ['short', { min: 8 }, 'seven77', 'Must be at least 8 character(s).'],
  ['long', {}, 'x'.repeat(72), 'Must be less than 71 character(s).'],
  ['without the pattern', { pattern: '\\d' }, 'abc', 'Invalid value format.'],
  ['fine', { min: 8 }, 'eight888', undefined],
] as const)('a password that is %s', (_, options, plain, message) => {
  const field = fieldOf('password', options)
  expect(field.type === 'password' && passwordError(field, plain)?.message).toBe(message)
})
