import { complete, faultIn, type Kept, storedOf, typedOf } from '../../console/src/parts/rows/values.ts'

/** A row with a schema: what is typed for the stored value, and what is stored of what is typed. */
test.each([
  ['a text', { type: 'text' }, {}, 'Ann', 'Ann', 'Bo', 'Bo'],
  ['nothing', { type: 'text' }, {}, undefined, '', '', ''],
  ['a number', { type: 'number' }, {}, 0, '0', '12', 12],
  ['a limit, of which 0 is none', { type: 'number' }, { placeholder: 'No limit' }, 0, '', '', 0],
  ['yes or no', { type: 'bool' }, {}, undefined, false, true, true],
  ['one of some', { type: 'select' }, { choices: [] }, 'a', 'a', 'b', 'b'],
  ['some of some', { type: 'select', many: true }, { choices: [] }, ['a'], ['a'], ['a', 'b'], ['a', 'b']],
  ['a list', { type: 'json' }, { kind: 'list' }, ['1', '2'], '1, 2', '1, 3 4', ['1', '3', '4']],
  ['a list of lines', { type: 'json' }, { kind: 'list', rows: 2 }, ['1', '2'], '1\n2', '', []],
  ['a password', { type: 'password' }, {}, undefined, '', '', undefined],
  [
    'what is read and written its own way',
    { type: 'bool' },
    { read: (is: unknown) => !is },
    true,
    false,
    true,
    true,
  ],
] as const)('%s', (_, facts, more, stored, typed, next, written) => {
  const rows = [complete({ name: 'a.b', ...more } as Kept, facts)]
  expect(typedOf(rows, { a: { b: stored } })).toEqual({ 'a.b': typed })
  expect(storedOf(rows, { 'a.b': next })).toEqual(written === undefined ? {} : { a: { b: written } })
})

test('members of one object are saved together', () => {
  const rows = [{ name: 'a.b' }, { name: 'a.c' }]
  expect(storedOf(rows, typedOf(rows, { a: { b: 1, c: 2 } }))).toEqual({ a: { b: '1', c: '2' } })
})

test.each([
  ['its own', { a: 'no' }, 'no'],
  ['one in its list', { 'a.0': 'no' }, 'no'],
  ["another's", { ab: 'no' }, undefined],
])('a field shows %s', (_, fields: Record<string, string>, said) => expect(faultIn(fields, 'a')).toBe(said))
