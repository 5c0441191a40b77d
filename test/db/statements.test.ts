import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  run,
  runForCount,
  runForRow,
  type Slots,
  statement,
  statements,
  tables,
} from '../../src/db/statements/statement.ts'
import { openPreparedDb } from '../support/server/start.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

const db = stopAfterAll(await openPreparedDb())
const SRC = new URL('../../src/', import.meta.url)

test('Postgres takes every statement of src', async () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  for (const file of files) {
    const url = new URL(file, SRC)
    if (readFileSync(url, 'utf8').includes('statements/statement.ts')) await import(url.href)
  }
  expect(statements.size).toBeGreaterThan(0)
  for (const [name, { text }] of [...statements].filter(([name]) => !name.startsWith('test '))) {
    await expect(db.query(`prepare checked as ${text}`), name).resolves.toBeDefined()
    await db.query('deallocate checked')
  }
})

const ADD = statement('test add', ({ key, value }: Slots<{ key: string; value: string }>) =>
  tables.insertInto('_params').values({ key, value }),
)
const READ = statement('test read', ({ key }: Slots<{ key: string }>) =>
  tables
    .selectFrom('_params')
    .select(['key', 'value'])
    .where('key', '=', key)
    .where('key', '!=', "it's no key"),
)

test('constants are part of the text, slots are not', () => {
  expect(READ.text).toBe(`select "key", "value" from "_params" where "key" = $1 and "key" != 'it''s no key'`)
  expect(READ.slots).toEqual(['key'])
})

test('values go to their places by name, a repeated one to the same', async () => {
  const twice = statement('test twice', ({ a, b }: Slots<{ a: string; b: string }>) =>
    tables.selectNoFrom([sql<string>`${b}::text || ${a}::text || ${b}::text`.as('all')]),
  )
  expect(await runForRow(db, twice, { a: '1', b: '2' })).toEqual({ all: '212' })
})

test('rows are objects; an insert tells how many', async () => {
  expect(await runForCount(db, ADD, { key: 'k', value: '"v"' })).toBe(1)
  expect(await run(db, READ, { key: 'k' })).toEqual([{ key: 'k', value: '"v"' }])
})

test.each<[string, () => unknown, string]>([
  [
    'a number made of a slot',
    () =>
      statement('test 1', ({ n }: Slots<{ n: string }>) =>
        tables.selectFrom('users').select('id').where('monthly_quota', '=', Number(n)),
      ),
    'no value yet',
  ],
  [
    'a text made of a slot',
    () =>
      statement('test 2', ({ n }: Slots<{ n: string }>) =>
        tables.selectFrom('users').select('id').where('id', '=', `${n}`),
      ),
    'no value yet',
  ],
  [
    'a list as a constant',
    () =>
      statement('test 3', () =>
        tables.selectFrom('users').select('id').where('id', '=', sql<string>`${new Date()}`),
      ),
    'no constant',
  ],
  [
    'a name that is taken',
    () => statement('test add', () => tables.selectFrom('users').select('id')),
    'Two statements',
  ],
])('%s is refused at import', (_, make, message) => expect(make).toThrow(message))

// what tsc finds: each line below an expectation is an error
statement('test column', ({ id }: Slots<{ id: string }>) =>
  // @ts-expect-error a misspelt column
  tables.selectFrom('users').select('id').where('idd', '=', id),
)
statement('test type', ({ quota }: Slots<{ quota: string }>) =>
  // @ts-expect-error a text for a number
  tables.selectFrom('users').select('id').where('monthly_quota', '=', quota),
)
statement('test insert', ({ key }: Slots<{ key: string }>) =>
  // @ts-expect-error an insert without one of its values
  tables.insertInto('_params').values({ key }),
)
test('what tsc finds of values and rows', async () => {
  // @ts-expect-error a value is missing
  await run(db, READ, {})
  // @ts-expect-error a row has no such column
  expect((await runForRow(db, READ, { key: '' }))?.id).toBeUndefined()
})
