import { completeCollection } from '../../../src/engine/collections/definition/complete-collection.ts'
import { parseNewCollection } from '../../../src/engine/collections/definition/read-collection.ts'
import { parseIndex } from '../../../src/engine/collections/index-definition.ts'
import { listIndexedColumns } from '../../../src/engine/collections/own-indexes.ts'
import { writeIndexDdl } from '../../../src/engine/collections/table-indexes.ts'
import { collectionStore, update } from '../../support/collection-store.ts'
import { openCatalogStore } from '../../support/database/open.ts'

const fields = [
  { name: 'a', type: 'text' },
  { name: 'ownerRef', type: 'text' },
  { name: 'flag', type: 'bool' },
  { name: 'data', type: 'json' },
  { name: 'tags', type: 'select', maxSelect: 2, values: ['x', 'y'] },
]
const posts = completeCollection(parseNewCollection({ name: 'posts', fields }))

test.each([
  ['plain', 'CREATE INDEX i ON posts (a)', 'create index "i" on "posts" ("a")'],
  [
    'unique, quoted',
    'CREATE UNIQUE INDEX `i` ON `x` (`a`, [ownerRef] DESC)',
    'create unique index "i" on "posts" ("a", "ownerRef" DESC)',
  ],
  [
    'case of a name',
    'create index i on posts (OWNERREF)',
    'create index "i" on "posts" ("ownerRef")',
  ],
  [
    'no case',
    'CREATE INDEX i ON posts (`a` COLLATE NOCASE)',
    'create index "i" on "posts" (lower("a" collate "C"))',
  ],
  [
    'expression',
    'CREATE INDEX i ON posts (lower(`a`))',
    'create index "i" on "posts" ((lower("a")))',
  ],
  [
    'json',
    'CREATE INDEX i ON posts (`data`)',
    'create index "i" on "posts" (("data"::text collate "C"))',
  ],
  [
    'json path',
    "CREATE INDEX i ON posts (json_extract(`data`, '$.x.y'))",
    `create index "i" on "posts" ((("data" #>>  '{x,y}')))`,
  ],
  [
    'where',
    "CREATE INDEX i ON posts (a) WHERE `a` != ''",
    `create index "i" on "posts" ("a") where "a" != ''`,
  ],
  [
    'text in double quotes',
    'CREATE INDEX i ON posts (a) WHERE a != ""',
    `create index "i" on "posts" ("a") where "a" != ''`,
  ],
  [
    'bool as a number',
    'CREATE INDEX i ON posts (a) WHERE flag == 1',
    'create index "i" on "posts" ("a") where "flag" = true',
  ],
  [
    'an empty list',
    "CREATE UNIQUE INDEX i ON posts (tags) WHERE tags != '[]'",
    `create unique index "i" on "posts" ("tags") where "tags" != '{}'`,
  ],
  [
    'a list in double quotes',
    'CREATE INDEX i ON posts (tags) WHERE tags <> ""',
    `create index "i" on "posts" ("tags") where "tags" <> '{NULL}'`,
  ],
  [
    'a list with quotes in it',
    `CREATE INDEX i ON posts (a) WHERE tags = '["x","it''s \\"y\\""]'`,
    `create index "i" on "posts" ("a") where "tags" = '{"x","it''s \\"y\\""}'`,
  ],
  [
    'words inside a text',
    "CREATE INDEX i ON posts (a) WHERE a != 'flag = 1 IS x'",
    `create index "i" on "posts" ("a") where "a" != 'flag = 1 IS x'`,
  ],
  [
    'null',
    'CREATE INDEX i ON posts (a) WHERE data IS NOT NULL',
    'create index "i" on "posts" ("a") where "data"::text collate "C" IS NOT NULL',
  ],
])('the index definition $1 is translated to Postgres (%s)', (_, sqlite, postgres) =>
  expect(writeIndexDdl(parseIndex(sqlite), posts)).toBe(postgres),
)

const store = await collectionStore()

const COLUMNS = `select array_to_string(array_agg(a.attname::text order by a.attnum), ' ')
  from pg_attribute a where a.attrelid = to_regclass($1)`
const columns = async (index = 'sms_messages_in_order') =>
  (await store.db.query(COLUMNS, [index])).rows[0]?.[0]

test('no index covers the line, or columns that claims and reports change, so their updates are HOT', async () => {
  const { rows } = await store.db.query(
    `select indexdef from pg_indexes where tablename = 'sms_messages'`,
  )
  expect(rows.length).toBeGreaterThan(8)
  expect(rows.join()).not.toMatch(/status|sent_at|delivered_at|updated|\bline\b/)
})

const WHOLE_INDEXES = `select array_agg(a.attname::text order by k.place)
  from pg_index i cross join lateral unnest(i.indkey::int2[]) with ordinality k (number, place)
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
  where i.indrelid = $1::regclass and i.indpred is null and i.indexprs is null group by i.indexrelid`

test.each(['sms_messages', 'sms_events', 'contacts', 'webhook_deliveries'])(
  'the indexes that plans of %s rely on exist',
  async (table) => {
    const names = (await store.db.query(WHOLE_INDEXES, [table])).rows.map(
      ([columns]) => columns as string[],
    )
    const own = listIndexedColumns({ id: table, indexes: [] })
    expect(own).toContainEqual(['user', '_rowid'])
    for (const columns of own) expect(names).toContainEqual(columns)
  },
)

test('a missing built-in index is created again and survives changes of the collection', async () => {
  await store.db.query('drop index sms_messages_in_order')
  await (await openCatalogStore(store.db)).close()
  expect(await columns()).toBe('user _rowid')
  const { indexes } = store.catalog.find('sms_messages')!
  await update(store, 'sms_messages', { indexes: indexes.slice(1) })
  await update(store, 'sms_messages', { indexes })
  expect(await columns()).toBe('user _rowid')
})
