import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import pg from 'pg'
import { z } from 'zod'
import { type Holder, ticketOf as ticketFor } from '../../src/admission/holder.ts'
import {
  number,
  run,
  runForCount,
  runForRow,
  type Slots,
  statement,
  statements,
  tables,
  text,
  textsOf,
} from '../../src/db/statement.ts'
import { createLogger } from '../../src/log.ts'
import { openDb } from '../support/database/open.ts'
import { testConfig } from '../support/server/start.ts'
import { TYPES } from './dump-tables.ts'

const config = await testConfig({ CLIENT_STATEMENT_SECONDS: '1' }, 'prepared')
const db = await openDb(config, createLogger(config))
const SRC = new URL('../../src/', import.meta.url)

interface Field {
  readonly name: string
  readonly dataTypeID: number
  readonly tableID: number
  readonly columnID: number
}

/** The columns of a statement as Postgres describes them, which does not run it. */
const describe = (client: pg.Client, text: string) =>
  new Promise<readonly Field[]>((resolve, reject) => {
    let found: readonly Field[] = []
    const query = {
      submit(connection: pg.Connection) {
        connection.parse({ name: '', text, types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
        connection.sync()
      },
      handleRowDescription({ fields }: { fields: readonly Field[] }) {
        found = fields
      },
      handleReadyForQuery: () => resolve(found),
      handleError: reject,
    }
    client.query(query as unknown as pg.Query)
  })

const columnsOf = (schema: z.ZodObject) => {
  const { properties } = z.toJSONSchema(z.object(schema.shape)) as { properties: Record<string, Property> }
  const typeOf = ({ type, anyOf = [{ type }] }: Property) =>
    anyOf
      .flatMap((one) => one.type ?? [])
      .map((name) => (name === 'null' ? '?' : name.replace('integer', 'number')))
      .join('')
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, typeOf(property)]))
}
interface Property {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Property[]
}

const NOT_NULL = `select attrelid || '.' || attnum from pg_attribute a join pg_type t on t.oid = a.atttypid
  where attnotnull or typnotnull`

test('Postgres accepts every statement of src and returns the columns that it declares', async () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  for (const file of files) {
    const url = new URL(file, SRC)
    if (readFileSync(url, 'utf8').includes(`/statement.ts'`)) await import(url.href)
  }
  const types = new Map((await db.query('select oid, typname from pg_type')).rows as [number, string][])
  const notNull = new Set(textsOf(await db.query(NOT_NULL)))
  const client = new pg.Client(config.databaseUrl)
  await client.connect()
  onTestFinished(() => client.end())
  const typeOf = ({ dataTypeID, tableID, columnID }: Field, declared = '') => {
    const [, isList, name] = /^(_?)(.*)$/.exec(types.get(dataTypeID)!)!
    // an outer join makes null what a table does not allow, so a column may be declared so
    const mayBeNull = declared.endsWith('?') || (tableID > 0 && !notNull.has(`${tableID}.${columnID}`))
    return `${TYPES[name!]}${isList && '[]'}${mayBeNull ? '?' : ''}`
  }
  expect(statements.size).toBeGreaterThan(0)
  for (const [name, { text, columns: shape }] of statements) {
    if (name.startsWith('test ')) continue
    const fields = await describe(client, text).catch((error) =>
      Promise.reject(new Error(name, { cause: error })),
    )
    if (!shape) continue
    const columns = shape instanceof z.ZodObject ? columnsOf(shape) : shape
    const named = fields.filter(({ name }) => name in columns)
    const found = named.map((field) => [field.name, typeOf(field, columns[field.name])])
    expect(Object.fromEntries(found), name).toEqual(columns)
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

test("constants become part of a statement's text, slots become parameters", () => {
  expect(READ.text).toBe(`select "key", "value" from "_params" where "key" = $1 and "key" != 'it''s no key'`)
  expect(READ.slots).toEqual(['key'])
})

test('values are bound by name, repeated ones to the same parameter', async () => {
  const twice = statement('test twice', ({ a, b }: Slots<{ a: string; b: string }>) =>
    tables.selectNoFrom([sql<string>`${b}::text || ${a}::text || ${b}::text`.as('all')]),
  )
  expect(await runForRow(db, twice, { a: '1', b: '2' })).toEqual({ all: '212' })
})

test('rows are objects, and an insert returns its count', async () => {
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
const TEXT = statement('test text', { key: 'string', n: 'number?' })`
select key, ${number('n')}::int as n from _params where key = ${text('key')}`

test('tsc rejects wrong values and rows', async () => {
  await run(db, ADD, { key: 'text', value: '1' })
  const [row] = await run(db, TEXT, { key: 'text', n: 7 })
  expect(row).toEqual({ key: 'text', n: 7 })
  // @ts-expect-error a text for a number
  await run(db, TEXT, { key: '', n: '7' })
  // @ts-expect-error a number that may be null
  row!.n.toFixed()
  // @ts-expect-error a value of a text is missing
  await run(db, TEXT, { key: '' })
  // @ts-expect-error a value is missing
  await run(db, READ, {})
  // @ts-expect-error a row has no such column
  expect((await runForRow(db, READ, { key: '' }))?.id).toBeUndefined()
})

// Client-shaped statements hold up nobody else.

/** Hours of work. */
const ENDLESS =
  'select count(*) from generate_series(1, 200000) a, generate_series(1, 200000) b where a + b < 0'

const ticketOf = (name: string) => ticketFor(name as Holder)

test('quick statements return their rows, named or not', async () => {
  const ticket = ticketOf(randomUUID())
  const numbers = Array.from({ length: 300 }, (_, i) => i)
  const asked = numbers.map((n) =>
    n % 2 === 0 || n > 100
      ? db.query('select $1::int', [n])
      : db.for(ticket).shaped('select $1::int', [n], 'number'),
  )
  expect((await Promise.all(asked)).map(({ rows }) => rows[0]![0])).toEqual(numbers)
})

test('holders take turns with their statements', async () => {
  const ended: string[] = []
  const pause = (holder: string) =>
    db
      .for(ticketOf(holder))
      .query('select pg_sleep(0.01)')
      .then(() => ended.push(holder))
  const all = Array.from({ length: 200 }, () => pause('many'))
  all.push(pause('one'))
  expect(db.use.waiting).toBeGreaterThan(150)
  await Promise.all(all)
  expect(db.use.waiting).toBe(0)
  expect(ended.indexOf('one')).toBeLessThan(100)
})

test('a statement whose client left before its turn is not run', async () => {
  const ticket = { ...ticketOf('gone'), isGone: () => true }
  await expect(db.for(ticket).shaped(ENDLESS)).rejects.toMatchObject({ status: 400 })
})

test('a statement inside a transaction runs in that transaction', async () => {
  await db.for(ticketOf('any')).transaction(async (inside) => {
    await inside.script('create temporary table seen (n int) on commit drop; insert into seen values (7)')
    expect((await inside.shaped('select n from seen')).rows).toEqual([[7]])
  })
})
