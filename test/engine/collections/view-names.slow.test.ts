import { collectionStore, create, refusal, rowsOf } from '../../support/collection-store.ts'

// The answers are those of PocketBase 0.40.4 and of SQLite 3.40 for the same tables.

const store = await collectionStore()
const text = (name: string) => ({ name, type: 'text' })
await create(store, { name: 'docs', fields: [text('title'), { name: 'myRank', type: 'number' }] })
await create(store, { name: 'other', fields: [text('name'), text('docs_title')] })
await store.db.query(
  `insert into docs (id, title, "myRank") values ('a', 'docs', 1), ('b', 'Title', 2), ('c', 'it''s "x"', 3)`,
)
await store.db.query(`insert into other (id, name) values ('o', 'docs')`)

let count = 0

async function ask(viewQuery: string, ...columns: string[]): Promise<unknown[][]> {
  const name = `v${count++}`
  await create(store, { name, type: 'view', viewQuery })
  return rowsOf(store, name, 'id', ...columns)
}

test.each<[query: string, ids: string]>([
  ['where title = "docs"', 'a'],
  ['where "docs" = title', 'a'],
  ['where title = "other"', ''],
  ['where title = "Title"', 'a b c'],
  ['where "Title" = \'docs\'', 'a'],
  ['where "TITLE" = "docs"', 'a'],
  ['where `Title` = "docs"', 'a'],
  ['where [TITLE] = "docs"', 'a'],
  ['where Title = "docs"', 'a'],
  ['where "MYRANK" > 1', 'b c'],
  ['where myrank > 1', 'b c'],
  ['where docs.MYRANK > 1', 'b c'],
  ['where "DOCS"."TITLE" = "docs"', 'a'],
  ['where DOCS.title = "docs"', 'a'],
  ['where title in ("docs", "nope")', 'a'],
  ['where title not in ("docs", "Docs")', 'b c'],
  ['where title like "%oc%"', 'a'],
  ['where title like "DOCS"', 'a'],
  ['where upper("docs") = "DOCS"', 'a b c'],
  ['where coalesce(title, "docs") = "docs"', 'a'],
  ['where case when title = "docs" then "yes" else "no" end = "yes"', 'a'],
  ['where title = "it\'s ""x"""', 'c'],
  ['where title || "docs" = "docsdocs"', 'a'],
  ['where title = "docs" or title = "it\'s ""x"""', 'a c'],
  ['where (title = "docs") and not (title = "other")', 'a'],
  ['where exists (select 1 from other where other.name = title and name = "docs")', 'a'],
  ['where title = (select "NAME" from other where name = "docs")', 'a'],
  ['where title between "docs" and "docs"', 'a'],
  ['/* "docs" */ where title = "docs" -- "docs"', 'a'],
  ['where title is "docs"', 'a'],
  ['where title is not "docs" and title <> ""', 'b c'],
  ['where instr(title, "o") > 0', 'a'],
  ['where substr(title, 1, 2) = substr("docs", 1, 2)', 'a'],
  ['where replace(title, "d", "D") = "Docs"', 'a'],
  ['group by "ID" having count("title") > 0', 'a b c'],
  ['order by "docs"', 'a b c'],
  ['order by "MyRank" desc', 'a b c'],
])('a query of docs with %s finds "%s"', async (rest, ids) => {
  expect((await ask(`select id from docs ${rest}`)).join(' ')).toBe(ids)
})

test.each<[query: string, ids: string]>([
  ['select d.id from docs d where "D"."Title" = "docs"', 'a'],
  [
    'select d.id from docs d left join other as "o" on "O"."name" = d.title where "o".id != ""',
    'a',
  ],
  ['select docs.id from docs, other where docs.title = "docs" and OTHER.name = "docs"', 'a'],
  ['with x as (select id, title as "T" from docs) select id from x where "T" = "docs"', 'a'],
  ['select d.id from docs as d where D.TITLE = "docs" and title != "d"', 'a'],
  ['select id from docs d where title = "d" or title = "docs"', 'a'],
  ['select docs.id from docs join other on other.name = docs.title and docs.title = "docs"', 'a'],
  ['select docs.id from docs, other where "Name" = "Title"', 'a'],
  ['select id from "DOCS" where title = "docs"', 'a'],
  ['select id from Docs where title = "docs"', 'a'],
  ['select id from [docs] where title = "docs"', 'a'],
  ['select id from docs group by "ID" having max("myrank") > 1', 'b c'],
  ['select id from (select id, title as label from docs) where "Label" = "docs"', 'a'],
  ['with docs2 as (select id, title from docs) select id from docs2 where "Title" = "docs"', 'a'],
  [
    'with x("A", "B") as (select id, title from docs) select a as id from x where "b" = "docs"',
    'a',
  ],
  ['with x(A, b) as (select id, title from docs) select "a" as id from x where B = "docs"', 'a'],
  [
    'with recursive r("N") as (select 1 union all select n + 1 from r where n < 3) select docs.id from docs join r on "n" = myrank where title = "docs"',
    'a',
  ],
  ['select id from docs where id in (select docs.id from docs where "Title" = "docs")', 'a'],
  [
    'select id from docs a where exists (select 1 from docs b where b."TITLE" = a."Title" and b.title = "docs")',
    'a',
  ],
  ['select docs.id from docs join docs as d on d."Id" = docs."ID" and d.title = "docs"', 'a'],
  ['select id, cast("MyRank" as text) as t from docs where t = "1"', 'a'],
  ['select id, title as "docs" from docs where "docs" = "docs"', 'a b c'],
  ['select id, title as other from docs where other = "docs"', 'a'],
  ['select id from (select * from docs) where "TITLE" = "docs"', 'a'],
  ['select id, title as Label from docs where "LABEL" = "docs"', 'a'],
  ['select id, title as label from docs where label = "docs"', 'a'],
  ['select id, upper(title) u from docs where ("U" = "DOCS") and title = "docs"', 'a'],
  ['select id, upper(title) as title from docs where "Title" = "docs"', 'a'],
  [
    'select id, count(*) as n from docs group by "ID", "Title" having "N" > 0 and title = "docs"',
    'a',
  ],
  ['select id, (select name from other) as label from docs where "label" = title', 'a'],
])('%s finds "%s"', async (query, ids) => {
  expect((await ask(query)).join(' ')).toBe(ids)
})

test('columns that are chosen in another case keep the name that the query writes', async () => {
  expect(await ask('select id, "Title" from docs where title = "docs"', 'Title')).toEqual([
    ['a', 'docs'],
  ])
  expect(await ask('select id, [TITLE] as t, myrank as r from docs', 't', 'r')).toContainEqual([
    ...['a', 'docs', 1],
  ])
})

test('texts in double quotes are columns of a view', async () => {
  const query = `select id, "docs" as d, (case when "Title" = "docs" then "yes" else "no" end) as t from docs`
  const rows = await ask(query, 'd', 't')
  expect(rows.map((row) => JSON.stringify(row).replaceAll('\\', ''))).toEqual([
    '["a",""docs"",""yes""]',
    '["b",""docs"",""no""]',
    '["c",""docs"",""no""]',
  ])
})

test('an alias is found in any case where a query sorts by it', async () => {
  for (const [alias, order] of [
    ['"Label"', '"label"'],
    ['Label', '"LABEL"'],
    ['"Label"', 'label'],
    ['label', 'LABEL'],
  ])
    expect(await ask(`select id, title as ${alias} from docs order by ${order} limit 1`)).toEqual([
      ['b'],
    ])
})

test.each([
  'select id from docs where title = `docs`',
  'select id from docs where [docs] = "x"',
  'select id from docs where title = docs',
  'select d.id from docs d where d."docs" = 1',
  'select id from docs where nothing = 1',
])('%s is refused: only double quotes may be a text', async (viewQuery) => {
  expect(
    await refusal(create(store, { name: `v${count++}`, type: 'view', viewQuery })),
  ).toBeDefined()
})
