import { once } from 'node:events'
import pg from 'pg'
import { DatabaseUnavailable } from '../../../src/platform/db/database-errors.ts'
import { openPipeline } from '../../../src/platform/db/pipeline.ts'
import { openTestDb } from '../../support/server/start.ts'

// Look-ups share a connection on Postgres: each gets its own answer all the same.

const db = await openTestDb()
await db.script(`create table things (id text primary key, n int);
  insert into things select 'thing' || n, n from generate_series(1, 500) n`)

const BY_ID = 'select n from things where id = $1'
const lookUp = async (i: number, name?: string) =>
  (await db.lookUp(BY_ID, [`thing${i}`], name)).rows[0]?.[0]
const numbers = Array.from({ length: 500 }, (_, i) => i + 1)

test.each(['thing by id', undefined])(
  '500 concurrent lookups with the name %s get their own answers',
  async (name) => {
    expect(await Promise.all(numbers.map((i) => lookUp(i, name)))).toEqual(numbers)
  },
)

test('a failing lookup does not fail others in the same pipeline', async () => {
  const asked = numbers.slice(0, 60).map((i) => {
    if (i % 3 === 0)
      return db.lookUp('select 1 / (n - n) from things where id = $1', [`thing${i}`], 'wrong thing')
    if (i % 3 === 1) return lookUp(i, 'thing by id')
    return lookUp(i)
  })
  const ended = await Promise.allSettled(asked)
  expect(
    ended.map((end) =>
      end.status === 'fulfilled' ? end.value : (end.reason as { code: string }).code,
    ),
  ).toEqual(numbers.slice(0, 60).map((i) => (i % 3 === 0 ? '22012' : i)))
})

test('a lookup in a transaction sees its uncommitted changes, and one outside does not', async () => {
  await db.transaction(async (inside) => {
    await inside.query('update things set n = 0 where id = $1', ['thing7'])
    expect((await inside.lookUp(BY_ID, ['thing7'])).rows).toEqual([[0]])
    expect(await lookUp(7)).toBe(7)
    await inside.query('update things set n = 7 where id = $1', ['thing7'])
  })
})

const OWN = 'select pg_backend_pid()'
const pid = async (text = OWN) => (await db.lookUp(text)).rows[0]![0]

test('a slow or locked lookup moves to another connection and does not block others for good', async () => {
  const own = await pid()
  const slow = pid(`${OWN} from pg_sleep(1.5)`)
  const behind = lookUp(1)
  expect(await slow).not.toBe(own)
  expect(await behind).toBe(1)
  await db.transaction(async (inside) => {
    await inside.query('lock table things in access exclusive mode')
    const locked = lookUp(2)
    expect(await pid()).toBe(own)
    setTimeout(() => void inside.query('rollback').catch(() => {}), 100)
    expect(await locked).toBe(2)
  })
})

test('lookups under a name that waits for a lock are answered in the end', async () => {
  await db.transaction(async (inside) => {
    await inside.query('lock table things in access exclusive mode')
    const locked = [1, 2, 3].map((i) => lookUp(i, 'thing behind a lock'))
    await pid()
    setTimeout(() => void inside.query('rollback').catch(() => {}), 100)
    expect(await Promise.all(locked)).toEqual([1, 2, 3])
  })
})

test('a lost lookup connection is opened again', async () => {
  await db.query('select') // there is one for the question below
  const own = await pid()
  const caught = pid(`${OWN} from pg_sleep(0.9)`).catch((error: unknown) => error)
  const behind = lookUp(1).catch((error: unknown) => error)
  await db.query('select pg_terminate_backend($1)', [own])
  expect(await caught).toBeInstanceOf(DatabaseUnavailable)
  expect(await behind).toBeInstanceOf(DatabaseUnavailable)
  expect(await lookUp(2)).toBe(2)
  expect(await pid()).not.toBe(own)
})

test('an expired lookup connection is replaced without losing lookups', async () => {
  const pipeline = openPipeline(
    () => new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL!, pipeline: true }),
    20,
  )
  const pids = new Set<unknown>()
  while (pids.size < 3) {
    const asked = [1, 2, 3].map((n) => pipeline.query(`${OWN}, $1::int`, [n], 'own'))
    const answers = await Promise.all(asked)
    expect(answers.map(({ rows }) => rows[0]![1])).toEqual([1, 2, 3])
    for (const { rows } of answers) pids.add(rows[0]![0])
  }
  await pipeline.close()
})

test('a connection that is refused for use is closed', async () => {
  const client = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL!, pipeline: true })
  const ended = once(client, 'end')
  const refuse = () => Promise.reject(new DatabaseUnavailable(new Error('too old')))
  await expect(openPipeline(() => client, 1_000, refuse).query(OWN)).rejects.toThrow(
    DatabaseUnavailable,
  )
  await ended
})

/** Rows that a look-up has read, by a condition on each. */
async function rowsRead(text: string, params: readonly unknown[], name: string): Promise<number> {
  await db.script(`create sequence if not exists reads;
    create or replace function is_read() returns boolean language plpgsql cost 0.001 as
      'begin return nextval(''reads'') > 0; end';
    select setval('reads', 1, false)`)
  expect((await db.lookUp(text, params, name)).rows.length).toBeGreaterThan(0)
  const { rows } = await db.query('select last_value from reads')
  return Number(rows[0]![0])
}

test('a lookup for an owner unknown to the statistics reads only the rows needed', async () => {
  await db.script(`create table notes (owner text, id text primary key) with (autovacuum_enabled = off);
    insert into notes select 'old' || n % 5, 'old' || n from generate_series(1, 5000) n;
    analyze notes;
    insert into notes select 'new', 'new' || n from generate_series(1, 20000) n;
    create index by_owner on notes (owner)`)
  const text = 'select id from notes where is_read() and id = $1 and owner = $2'
  expect(await rowsRead(text, ['new77', 'new'], 'note of')).toBe(1)
})

test('a list of an unusually large owner reads only its first rows', async () => {
  await db.script(`create table letters (owner text, made int, id int generated always as identity);
    insert into letters (owner, made) select 'small' || n % 10000, n from generate_series(1, 20000) n;
    insert into letters (owner, made) select 'large', n from generate_series(1, 20000) n;
    create index by_time on letters (owner, made);
    analyze letters`)
  const text =
    'select id from letters where is_read() and owner = $1 order by made desc, id limit 30'
  expect(await rowsRead(text, ['large'], 'letters of')).toBeLessThan(100)
})
