import { removeCollection } from '../../../src/engine/collections/edit.ts'
import { collectionStore, create, refusal, rowsOf } from '../../support/collection-store.ts'

const store = await collectionStore()
const fields = [
  { name: 'name', type: 'text' },
  { name: 'rank', type: 'number' },
  { name: 'flag', type: 'bool' },
  { name: 'tags', type: 'select', values: ['a', 'b'], maxSelect: 2 },
  { name: 'data', type: 'json' },
  { name: 'made', type: 'autodate', onCreate: true },
  { name: 'changed', type: 'autodate', onCreate: true, onUpdate: true },
]
await create(store, { name: 'people', fields })
await store.db.query(
  `insert into people (id, name, rank, flag, tags, data, made, changed)
   values ('one', 'Ann', 2, true, '{a,b}', '{"a":1}', '2026-01-02 03:04:05.678Z', '2026-01-03 03:04:05.678Z')`,
)

const view = (viewQuery: string) => create(store, { name: 'looked', type: 'view', viewQuery })
const column = (expression: string) => `select id, (${expression}) as v from people`

test.each([
  ['a file', `pg_read_file('/etc/passwd')`, 'function "pg_read_file"'],
  [
    'a name with escapes',
    `U&"\\0070g_read_file"('/etc/passwd')`,
    'function "pg_read_file"|syntax error',
  ],
  ['a nested call', `upper(lower(pg_read_file('/etc/passwd')))`, 'function "pg_read_file"'],
  ['a call that never runs', `case when 1 = 2 then pg_sleep(1)::text end`, 'function "pg_sleep"'],
  ['an attribute that is a function', '(people).pg_column_size', 'function "pg_column_size"'],
  ['a folder as a column', `pg_ls_dir('/')`, 'function "pg_ls_dir"'],
  ['SQL as text', `query_to_xml('select 1', true, true, '')::text`, 'function "query_to_xml"'],
  ['a setting read', `current_setting('data_directory')`, 'function "current_setting"'],
  ['a function of our own that writes', `pb_new_id()`, 'function "pb_new_id"'],
  [
    'a function of our own that reads',
    `sms_is_below_limits('x', 1, 1)`,
    'function "sms_is_below_limits"',
  ],
  ['an aggregate', `(select pg_sleep(max(rank)) from people)::text`, 'function "pg_sleep"'],
  ['a window', `count(*) over (order by pg_sleep(1)::text)`, 'function "pg_sleep"'],
  ['a limit', `(select 1 limit pg_sleep(1)::text::int)`, 'function "pg_sleep"'],
  ['the database', 'current_catalog', 'use current_catalog'],
  ['the role', '(select current_role)', 'use current_role'],
  ['the schema', '(select current_schema)', 'use current_schema'],
  ['a cast to a table', `'_params'::regclass::text`, 'type "regclass"'],
  ['a list of tables', `'{_params}'::_regclass::text`, 'type "_regclass"'],
  ['XML', `xmlelement(name a, 'b')::text`, 'kind of expression \\(XMLEXPR\\)'],
  [
    'password hashes of the database',
    '(select max(rolpassword) from pg_authid)',
    'read "pg_authid"',
  ],
  ['roles as a TABLE', '(select count(*) from (table pg_authid) t)', 'read "pg_authid"'],
  [
    'the schema of tables',
    '(select max(table_name) from information_schema.tables)',
    'read "tables"',
  ],
  ['an internal table', '(select max(value::text) from _params)', 'read "_params"'],
  [
    'a part of the rows',
    '(select count(*) from people tablesample system (10))',
    'TABLESAMPLECLAUSE',
  ],
])('a view with %s is refused: $2', async (_, expression, cause) => {
  const refused = await refusal(view(column(expression)))
  expect(refused?.data.viewQuery).toMatchObject({
    code: 'validation_invalid_view_query',
    message: expect.stringMatching(cause),
  })
})

test.each([
  ['a function in FROM', `select f as id from pg_ls_dir('/') f`, 'function "pg_ls_dir"'],
  [
    'a function in an unused CTE',
    `with x as (select pg_sleep(9)) select id from people`,
    'function "pg_sleep"',
  ],
  ['a function in WHERE', `select id from people where pg_sleep(9) is null`, 'function "pg_sleep"'],
  [
    'a function in the second SELECT',
    `select id from people union select pg_read_file('x')`,
    'function "pg_read_file"',
  ],
  ['a lock', 'select id from people where true for update', 'ROWMARKCLAUSE'],
  [
    'a statement that changes rows',
    'with x as (delete from people returning id) select id from x',
    'WITH clause containing a data-modifying statement',
  ],
  [
    'a function beside an operator named by its schema',
    `select id, (1 operator(pg_catalog.+) pg_sleep(1)::text::int) as v from people`,
    'function "pg_sleep"',
  ],
  ['a table outside the catalog', 'select rolname as id from pg_roles', 'read "pg_roles"'],
])('a view whose query has %s is refused: $2', async (_, query, cause) => {
  const refused = await refusal(view(query))
  expect(refused?.data.viewQuery?.message).toMatch(cause)
})

test('a refused view query leaves no table or view in the database', async () => {
  const { rows } = await store.db.query(
    `select relname from pg_class where relname like '\\_view\\_%'`,
  )
  expect(rows).toEqual([])
})

test.each([
  ['texts', `upper(trim(name)) || replace(name, 'A', 'B')`, '"ANNBnn"'],
  ['numbers', 'abs(-rank) + ceil(1.2) + sqrt(4)', '6'],
  ['a sum', '(select sum(rank) from people)', '2'],
  ['the later of two dates', 'max(made, changed)', '"2026-01-03 03:04:05.678Z"'],
  ['a date of a case', 'case when flag then made else changed end', '"2026-01-02 03:04:05.678Z"'],
  [
    'dates of Postgres',
    `to_char('2026-01-02'::timestamptz at time zone 'utc', 'YYYY') || extract(year from date '2025-01-01')`,
    '20262025',
  ],
  ['now', 'now() > current_timestamp', '0'],
  ['a row number', 'row_number() over (order by name)', '1'],
  ['a rank among groups', 'rank() over (partition by name order by rank)', '1'],
  ['a list', `name in ('Ann', 'Bob')`, '1'],
  ['a subquery', 'name in (select name from people)', '1'],
  ['rows compared', `row(name, rank) < row('Bob', 1)`, '1'],
  [
    'a CTE',
    '(with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select max(i) from n)',
    '3',
  ],
  ['a regular expression', `name ~ '^A'`, '1'],
  ['a search', `to_tsvector('english', name) @@ to_tsquery('english', 'ann')`, '1'],
  ['a value', `(select max(x) from (values (1), (2)) v (x))`, '2'],
  ['a series', '(select count(*) from generate_series(1, 3))', '3'],
  ['an account', '(select count(*) from _superusers)', '0'],
  ['division by a text in its type', `7 / '0'::int`, null],
  [
    'a list without doubles',
    `(select group_concat(distinct t.flag) from (select flag from people union all select rank > 5 from people
      union all select flag from people) t)`,
    '"0,1"',
  ],
  [
    'a column named like a member of every object',
    '(select constructor + 1 from (select rank as constructor from people) s)',
    '3',
  ],
  ['an expression that only Postgres understands', `repeat('x', cast(rank as int))`, '"xx"'],
])('a view with %s is allowed and shows $2', async (_, expression, expected) => {
  await view(column(expression))
  expect(await rowsOf(store, 'looked', 'v')).toEqual([[expected]])
  await removeCollection(store, 'looked')
})

test('an index definition with two statements is refused', async () => {
  const indexes = [`create index idx_two on two (name) where name != ''; delete from people`]
  const refused = await refusal(
    create(store, { name: 'two', fields: [{ name: 'name', type: 'text' }], indexes }),
  )
  expect(refused?.data.indexes).toMatchObject({
    0: { message: expect.stringContaining('multiple commands') },
  })
  expect(await rowsOf(store, 'people', 'id')).toHaveLength(1)
})

test('an index on a function that is not immutable is refused', async () => {
  const indexes = [`create index idx_two on two (pg_read_file(name))`]
  const refused = await refusal(
    create(store, { name: 'two', fields: [{ name: 'name', type: 'text' }], indexes }),
  )
  expect(refused?.data.indexes).toMatchObject({
    0: { message: expect.stringContaining('IMMUTABLE') },
  })
})
