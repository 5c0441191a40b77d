import { globSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UserError } from '../../../src/platform/api-errors.ts'
import { migrateDatabase } from '../../../src/platform/db/schema/migrate.ts'
import { readSqlFiles } from '../../../src/platform/db/schema/sql-files.ts'
import { git, lastReleaseCommit } from '../../support/server/other-version.ts'
import { CLONE } from '../../support/server/program-files.ts'
import { openTestDb } from '../../support/server/start.ts'

const db = await openTestDb()
await migrateDatabase(db)

const signatures = async (name: string) => {
  const { rows } = await db.query(
    'select oid::regprocedure::text from pg_proc where proname = $1 order by 1',
    [name],
  )
  return rows.map(([signature]) => signature)
}

test('a second migration run leaves the database unchanged', async () => {
  const version = async () =>
    (await db.query(`select xmin::text from pg_proc where proname = 'sms_accept'`)).rows
  const before = await version()
  expect(await migrateDatabase(db)).toEqual([])
  expect(await version()).toEqual(before)
})

test('each file in sql/functions holds exactly the functions of its name', async () => {
  const { rows } = await db.query(`select distinct proname::text from pg_proc
    where pronamespace = current_schema()::regnamespace and prokind = 'f' order by 1`)
  const names = readSqlFiles('functions').map(({ name }) => name)
  expect(rows.map(([name]) => name).sort()).toEqual(names.toSorted())
  expect(new Set(names).size).toBe(names.length)
})

test('a function whose file changed is replaced and its old overload dropped', async () => {
  await db.script(`
    create or replace function pb_digits(n int, places int) returns text language sql as 'select null';
    create function pb_digits(n text) returns text language sql as 'select null';
    update _functions set checksum = 'other' where name = 'pb_digits'`)
  const before = await signatures('pb_digits')
  await migrateDatabase(db)
  expect(before).toContain('pb_digits(text)')
  expect(await signatures('pb_digits')).toEqual(['pb_digits(integer,integer)'])
  expect((await db.query('select pb_digits(7, 3)')).rows).toEqual([['007']])
})

test('a function without a file is dropped as soon as it is unused', async () => {
  await db.script(`
    create function gone() returns int language sql as 'select 1';
    create view user_of_gone as select gone() as n;
    insert into _functions values ('gone', '')`)
  await migrateDatabase(db)
  expect(await signatures('gone')).toEqual(['gone()'])
  await db.script('drop view user_of_gone')
  await migrateDatabase(db)
  expect(await signatures('gone')).toEqual([])
  expect((await db.query(`select from _functions where name = 'gone'`)).rows).toEqual([])
})

test('a database migrated by a newer version is refused', async () => {
  await db.script(`insert into _migrations (file) values ('9999_later.sql')`)
  await expect(migrateDatabase(db)).rejects.toThrow(UserError)
  await expect(migrateDatabase(db)).rejects.toThrow(
    /newer version of pocketsms \(9999_later\.sql\)/,
  )
  await db.script(`delete from _migrations where file = '9999_later.sql'`)
})

const FOLDER = 'sql/migrations/'

const release = lastReleaseCommit()
const released = git('ls-tree', '--name-only', release, FOLDER).split('\n')

test('migrations of the last release are unchanged', () => {
  expect(git('diff', '--name-only', release, '--', ...released)).toBe('')
})

test('changed functions come with a new migration', () => {
  const hasChanged = git('diff', '--name-only', release, '--', 'sql/functions') !== ''
  if (hasChanged) expect(readdirSync(CLONE + FOLDER).length).toBeGreaterThan(released.length)
})

const SQL = fileURLToPath(new URL('../../../sql/', import.meta.url))
const MAX_COLUMNS = 110

const files = globSync('**/*.sql', { cwd: SQL })

test('sql/ contains files to check', () => expect(files.length).toBeGreaterThan(50))

test(`comments in SQL have at most ${MAX_COLUMNS} columns`, () => {
  const long = files.flatMap((file) =>
    readFileSync(`${SQL}${file}`, 'utf8')
      .split('\n')
      .filter((line) => line.trim().startsWith('--') && line.length > MAX_COLUMNS)
      .map((line) => `${file}: ${line}`),
  )
  expect(long).toEqual([])
})
