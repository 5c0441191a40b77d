import { complete, readNew } from '../../src/collections/definition/complete.ts'
import { parseIndex } from '../../src/collections/sqlite/index-expression.ts'
import { indexDdl } from '../../src/collections/table/indexes.ts'

const fields = [
  { name: 'a', type: 'text' },
  { name: 'ownerRef', type: 'text' },
  { name: 'flag', type: 'bool' },
  { name: 'data', type: 'json' },
  { name: 'tags', type: 'select', maxSelect: 2, values: ['x', 'y'] },
]
const posts = complete(readNew({ name: 'posts', fields }))

test.each([
  ['plain', 'CREATE INDEX i ON posts (a)', 'create index "i" on "posts" ("a")'],
  [
    'unique, quoted',
    'CREATE UNIQUE INDEX `i` ON `x` (`a`, [ownerRef] DESC)',
    'create unique index "i" on "posts" ("a", "ownerRef" DESC)',
  ],
  ['case of a name', 'create index i on posts (OWNERREF)', 'create index "i" on "posts" ("ownerRef")'],
  [
    'no case',
    'CREATE INDEX i ON posts (`a` COLLATE NOCASE)',
    'create index "i" on "posts" (lower("a" collate "C"))',
  ],
  ['expression', 'CREATE INDEX i ON posts (lower(`a`))', 'create index "i" on "posts" ((lower("a")))'],
  ['json', 'CREATE INDEX i ON posts (`data`)', 'create index "i" on "posts" (("data"::text collate "C"))'],
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
])('Postgres: %s', (_, sqlite, postgres) => expect(indexDdl(parseIndex(sqlite), posts)).toBe(postgres))
