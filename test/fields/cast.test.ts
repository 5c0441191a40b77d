import { expect, test } from 'vitest'
import { toBool, toNumber, toText, toTexts } from '../../src/fields/values/cast.ts'

test.each([
  ['a number', 5, '5'],
  ['a large number without exponent', 1e21, '1000000000000000000000'],
  ['a small number without exponent', 1.5e-7, '0.00000015'],
  ['minus zero', -0, '-0'],
  ['a bool', true, 'true'],
  ['null', null, ''],
  ['a list', ['a'], ''],
  ['an object', { a: 1 }, ''],
  ['spaces stay', ' a ', ' a '],
  ['NUL goes', 'a\0b', 'ab'],
  ['half a surrogate pair', 'a\ud800', 'a\ufffd'],
] as const)('text of %s', (_, raw, text) => expect(toText(raw)).toBe(text))

test.each([
  ['exponent', '1e3', 1000],
  ['no digit before the point', '.5', 0.5],
  ['plus sign', '+5', 5],
  ['underscores between digits', '1_000', 1000],
  ['underscores of a hexadecimal number', '0x_1_0p1_0', 16384],
  ['an underscore before the digits of a power', '0x1p_5', 0],
  ['a hexadecimal number with a fraction alone', '0x.8p1', 1],
  ['a hexadecimal number without digits', '0x.p1', 0],
  ['hexadecimal with exponent', '0x1p4', 16],
  ['hexadecimal without', '0x10', 0],
  ['space', ' 5', 0],
  ['text behind', '12abc', 0],
  ['out of range', '1e400', 0],
  ['infinity', '-inf', -Infinity],
  ['a bool', true, 1],
  ['a list', [5], 0],
  ['null', null, 0],
] as const)('number of %s', (_, raw, number) => expect(toNumber(raw)).toBe(number))

test('NaN comes through, to be refused', () => expect(toNumber('NaN')).toBeNaN())

test.each([
  ['t', true],
  ['TRUE', true],
  ['tRUE', false],
  ['yes', false],
  ['1', true],
  [2, true],
  [0, false],
  [{}, false],
] as const)('bool of %j: %s', (raw, bool) => expect(toBool(raw)).toBe(bool))

test.each([
  ['a scalar', 5, ['5']],
  ['repetitions and empty ones', ['a', '', 'a', null, 'b'], ['a', 'b']],
  ['a JSON list in a text', '["a","c"]', ['a', 'c']],
  ['a broken one', '["a"', ['["a"']],
  ['one with a number in it, as Go leaves it', '[1,"a"]', ['a', '[1,"a"]']],
  ['a list with a list in it', ['a', ['b']], []],
  ['an object', {}, []],
] as const)('texts of %s', (_, raw, texts) => expect(toTexts(raw)).toEqual(texts))
