import { toText, toTexts } from '../../src/fields/values/cast.ts'

// The casts of single values are recorded: test/conformance, crud.

test('NUL, which no text of Postgres has, goes', () => expect(toText('a\0b')).toBe('ab'))

test.each([
  ['a scalar', 5, ['5']],
  ['a broken one', '["a"', ['["a"']],
  ['one with a number in it, as Go leaves it', '[1,"a"]', ['a', '[1,"a"]']],
  ['a list with a list in it', ['a', ['b']], []],
  ['an object', {}, []],
] as const)('texts of %s', (_, raw, texts) => expect(toTexts(raw)).toEqual(texts))
