import { expect, test } from 'vitest'
import { bootstrap } from '../../src/collections/catalog/bootstrap.ts'
import { removeCollection } from '../../src/collections/edit/edit.ts'
import { collectionStore, create, rowsOf } from '../support/collection-store.ts'

const store = await collectionStore()
await create(store, {
  name: 'things',
  fields: [
    { name: 'num', type: 'number' },
    { name: 'flag', type: 'bool' },
    { name: 'day', type: 'date' },
    { name: 'note', type: 'text' },
    { name: 'data', type: 'json' },
    { name: 'tags', type: 'select', values: ['a', 'b'], maxSelect: 2 },
  ],
})
await store.db.query(`insert into things (id, num, flag, day, note, data, tags) values
  ('full', 12.75, true, '2024-01-31 12:30:00.000Z', ' 12abc', '{"a":[1,"x"],"b":"deep"}', '{a,b}'),
  ('none', 0, false, '', '', null, '{}')`)

/** What a view of these expressions answers, a row for each record. */
async function shown(rest: string, ...expressions: string[]): Promise<unknown[][]> {
  const columns = expressions.map((expression, i) => `${expression} as c${i}`)
  await create(store, {
    name: 'shown',
    type: 'view',
    viewQuery: `select ${['id', ...columns].join(', ')} from ${rest}`,
  })
  const rows = await rowsOf(store, 'shown', ...expressions.map((_, i) => `c${i}`))
  await removeCollection(store, 'shown')
  return rows
}

// each is PocketBase's own answer
test.each([
  ['the number that a text begins with', `cast('12abc' as int)`, 12],
  ['no number is 0', `cast('abc' as integer)`, 0],
  ['empty is 0', `cast('' as real)`, 0],
  ['null stays', 'cast(null as int)', null],
  ['cut off, not rounded', 'cast(-2.7 as int)', -2],
  ['beyond 32 bits', 'cast(3000000000.7 as int)', 3000000000],
  ['beyond 64 bits', `cast('99999999999999999999' as int)`, 2 ** 63],
  ['a huge number', 'cast(1e300 as int)', 2 ** 63],
  ['an exponent is not part of an integer', `cast('1e3' as int)`, 1],
  ['but of a number', `cast('1.9e2x' as real)`, 190],
  ['half an exponent is none', `cast('5e+' as numeric)`, 5],
  ['hex is 0', `cast('0x10' as decimal)`, 0],
  ['white space before', `cast('\t\v +7 ' as int)`, 7],
  ['a space after the sign', `cast('- 5' as int)`, 0],
  ['words that Postgres takes for numbers', `cast('infinity' as real)`, 0],
  ['too small', `cast('1e-400' as real)`, 0],
  ['1 is true', `cast('1.0' as bool)`, true],
  ['2 is not', 'cast(2 as bool)', false],
  ['nor is a word', `cast('true' as boolean)`, false],
  ['a large number as text', 'cast(1e21 as text)', '1.0e+21'],
])('a cast: %s', async (_, expression, answer) => {
  expect(await shown('things limit 1', expression)).toEqual([[answer]])
})

test.each([
  ['num', [12, '12.75', false, 12.75], [0, '0', false, 0]],
  ['flag', [1, '1', true, 1], [0, '0', false, 0]],
  ['day', [2024, '2024-01-31 12:30:00.000Z', false, 2024], [0, '', false, 0]],
  ['note', [12, ' 12abc', false, 12], [0, '', false, 0]],
  ['data', [0, '{"a":[1,"x"],"b":"deep"}', false, 0], [null, null, null, null]],
  ['tags', [0, '["a","b"]', false, 0], [0, '[]', false, 0]],
])('casts of the field %s', async (field, full, none) => {
  const casts = ['int', 'text', 'bool', 'real'].map((type) => `cast(${field} as ${type})`)
  expect(await shown('things', ...casts)).toEqual([full, none])
})

// each is PocketBase's own answer, as JSON
test.each([
  ['substr counts from the end', `substr('abcdef', -3, 2)`, '"de"'],
  ['and before the beginning', `substr('abcdef', -10, 6)`, '"ab"'],
  ['place 0 is none', `substr('abcdef', 0, 2)`, '"a"'],
  ['a negative length', `substr('abcdef', 3, -2)`, '"ab"'],
  ['round takes the number as it is', 'round(2.675, 2)', '2.67'],
  ['halves away from 0', 'round(-2.5)', '-3'],
  ['no places before the point', 'round(1234.5678, -2)', '1235'],
  ['length of a number', 'length(12.5)', '4'],
  ['instr', `instr('abcabc', 'ca')`, '3'],
  ['ifnull in ifnull', `ifnull(null, ifnull(null, 3))`, '3'],
  ['iif', `iif(1 > 2, 'a', iif(1, 'b', 'c'))`, '"b"'],
  ['the greatest of nulls', 'max(1, null)', null],
  ['the least', 'min(3, 2)', '2'],
  ['division by 0', '7 / 0', null],
  ['by what is 0', '7 / (num - num)', null],
  ['by a CASE', `7 / case when num > 1 then 0 else 1 end`, null],
  ['by a text in its type', `7 / '0'::int`, null],
  ['by a call', `7 / length('') + 1`, null],
  ['by a negative number', '7 / -2', '-3'],
  ['whole numbers are cut off', `cast('7' as int) / 2`, '3'],
  ['the rest of numbers', 'cast(num as real) % 5', '2'],
  ['like ignores case', `'abc' like 'A%'`, '1'],
  ['but not in a text', `'a like b'`, '"a like b"'],
  ['== and is', `(1 == 1) and (1 is 1) and (null is not 2) and (null is null)`, '1'],
  ['date', `date('2024-01-31 12:00:00.000Z')`, '"2024-01-31"'],
  ['date of a day that is not', `date('2024-02-30')`, '"2024-03-01"'],
  ['date, moved', "date(day, 'start of month', '+1 month')", '"2024-02-01"'],
  ['date of a number', `date(1700000000, 'unixepoch')`, '"2023-11-14"'],
  ['datetime', 'datetime(day)', '"2024-01-31 12:30:00"'],
  ['datetime of no date', `datetime('bad')`, null],
  ['time', 'time(day)', '"12:30:00"'],
  ['strftime', `strftime('%Y-%m', day)`, '"2024-01"'],
  ['unixepoch', 'unixepoch(day)', '1706704200'],
  ['julianday', `julianday('1900-11-01 04:45')`, '2415324.6979166665'],
  ['json_extract', `json_extract(data, '$.a[1]')`, '"x"'],
  ['json_extract of nothing', `json_extract(data, '$.c.d')`, null],
  ['json_array_length of a list', 'json_array_length(tags)', '2'],
  ['of what is no list', 'json_array_length(data)', '0'],
  ['at a path', `json_array_length(data, '$.a')`, '2'],
  ['at a path that leads nowhere', `json_array_length(data, '$.c')`, null],
  ['an arrow', `data->'$.a'`, '[1,"x"]'],
  ['two arrowheads', `data->>'$.a[1]'`, '"x"'],
  ['an arrow by key and place', `data->'a'->>0`, '1'],
  ['an arrow into a list', 'tags->>1', '"b"'],
  ['by a path', `tags->>'$[0]'`, '"a"'],
  ['an arrow that leads nowhere', `data->>'$.c.d'`, null],
  [
    'json_object',
    `json_object('n', num, 'f', flag, 'd', day)`,
    '{"n" : 12.75, "f" : 1, "d" : "2024-01-31 12:30:00.000Z"}',
  ],
  ['what is stored as JSON is text in it', `json_object('t', tags)`, '{"t" : "[\\"a\\",\\"b\\"]"}'],
  [
    'unless json says so',
    `json_object('t', json(tags), 'o', json_object('a', null))`,
    '{"t" : ["a","b"], "o" : {"a" : null}}',
  ],
  ['json_array', `json_array(1, 'a', json_array())`, '[1, "a", []]'],
])('a function: %s', async (_, expression, answer) => {
  expect(await shown(`things where id = 'full'`, `(${expression})`)).toEqual([[answer]])
})

test.each([
  ['group_concat', 'group_concat(t.num)', '"12.75,0"'],
  ['group_concat with a separator', `group_concat(t.id, '; ')`, '"full; none"'],
  ['group_concat of what differs', 'group_concat(distinct t.flag)', '"0,1"'],
  ['group_concat in order', 'group_concat(t.id order by t.id desc)', '"none,full"'],
  ['both', `group_concat(t.id, ' or ' order by t.id desc)`, '"none or full"'],
  ['divided by one', `7.5 / count(*) filter (where t.num > 100)`, null],
  ['sum of bools', 'sum(t.flag)', '1'],
  ['sum of comparisons', 'sum(t.num > 100)', '0'],
  ['json_group_array', 'json_group_array(t.id)', '["full", "none"]'],
  ['of objects', `json_group_array(json_object('id', t.id))`, '[{"id" : "full"}, {"id" : "none"}]'],
  ['json_group_object', 'json_group_object(t.id, t.flag)', '{ "full" : 1, "none" : 0 }'],
])('an aggregate: %s', async (_, expression, answer) => {
  const source = `(select 'x' as id, (select ${expression} from (select * from things order by id) t) as v) s`
  expect(await shown(source, '(v)')).toEqual([[answer]])
})

test.each([
  ['a bool beside a number', 'flag = 1', ['full']],
  ['is', 'flag is 0', ['none']],
  ['is not', 'flag is not 1', ['none']],
  ['is not true', 'flag is not true', ['none']],
  ['like', `id LIKE 'FU%'`, ['full']],
  ['a date', `date(day) >= '2024-01-01'`, ['full']],
  ['an arrow', `data->>'$.b' = 'deep'`, ['full']],
  ['one of a list', `'b' in (select value from json_each(tags))`, ['full']],
])('a condition: %s', async (_, condition, ids) => {
  expect(await shown(`things where ${condition}`, 'id')).toEqual(ids.map((id) => [id]))
})

test.each([
  [
    'each of a list',
    'things t, json_each(t.tags) e',
    [
      ['"full0"', '"a"'],
      ['"full1"', '"b"'],
    ],
  ],
  [
    'a join without a condition',
    "things t join json_each(t.tags) e where e.value = 'b'",
    [['"full1"', '"b"']],
  ],
  [
    'then one with',
    `things t join json_each(t.tags) e join things u on u.id = t.id and e.value = 'b'`,
    [['"full1"', '"b"']],
  ],
  [
    'each of an object',
    'things t, json_each(t.data) e',
    [
      ['"fulla"', '[1,"x"]'],
      ['"fullb"', '"deep"'],
    ],
  ],
  [
    'each at a path',
    `things t, json_each(t.data, '$.a') e`,
    [
      ['"full0"', '1'],
      ['"full1"', '"x"'],
    ],
  ],
])('json_each: %s', async (_, source, rows) => {
  expect(await shown(`(select t.id || e.key as id, e.value as v from ${source}) s`, 'id', '(v)')).toEqual(
    rows,
  )
})

test('a name that every object has', async () => {
  const source = `(select id, num as constructor from things where id = 'full') s`
  expect(await shown(source, '(constructor + 1)')).toEqual([['13.75']])
})

test("what makes no sense as SQLite's is Postgres' own", async () => {
  expect(await shown(`things where id = 'full'`, `(repeat('x', cast(num as int)))`)).toEqual([
    [`"${'x'.repeat(13)}"`],
  ])
})

test('views of an earlier version are made anew, and only once', async () => {
  await create(store, {
    name: 'old',
    type: 'view',
    viewQuery: 'select id, cast(num as int) as n from things',
  })
  await store.db.query(`create or replace view old as select id, num::int::float8 as n from things`)
  await store.change(bootstrap)
  expect(await rowsOf(store, 'old', 'n')).toEqual([[13], [0]])
  await store.db.query(`delete from _params where key like 'views:%'`)
  await store.change(bootstrap)
  expect(await rowsOf(store, 'old', 'n')).toEqual([[12], [0]])
  await removeCollection(store, 'old')
})

test('they stay as they were if one cannot be made any more', async () => {
  await create(store, {
    name: 'old',
    type: 'view',
    viewQuery: 'select id, cast(num as int) as n from things',
  })
  await create(store, { name: 'broken', type: 'view', viewQuery: 'select id from things' })
  await store.db.query(`create or replace view old as select id, num::int::float8 as n from things`)
  await store.db.query(
    `update _collections set data = replace(data::text, 'select id from things', 'select id from nothing')::json where name = 'broken'`,
  )
  await store.db.query(`delete from _params where key like 'views:%'`)
  await store.change(bootstrap)
  expect(await rowsOf(store, 'old', 'n')).toEqual([[13], [0]])
  expect(await rowsOf(store, 'broken', 'id')).toEqual([['full'], ['none']])
})
