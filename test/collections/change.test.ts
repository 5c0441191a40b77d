import { expect, test } from 'vitest'
import { removeCollection } from '../../src/collections/edit/edit.ts'
import { collectionStore, create, refusal, rowsOf, update } from '../support/collection-store.ts'

const store = await collectionStore()

const select = (maxSelect: number) => ({ name: 's', type: 'select', values: ['x', 'y'], maxSelect })
const fieldId = (collection: string, field: string) =>
  store.catalog.field(store.catalog.find(collection)!, field)!.id

test('one value becomes a list, a list its last value', async () => {
  await create(store, { name: 'choices', fields: [select(1)] })
  await store.db.query(`insert into choices (id, s) values ('one', 'x'), ('none', '')`)
  await update(store, 'choices', { fields: [select(2)] })
  expect(await rowsOf(store, 'choices', 's')).toEqual([[['x']], [[]]])
  await store.db.query(`update choices set s = '{x,y}' where id = 'one'`)
  await update(store, 'choices', { fields: [select(1)] })
  expect(await rowsOf(store, 'choices', 's')).toEqual([['y'], ['']])
})

test('renamed fields keep their data, even when they swap names', async () => {
  await create(store, { name: 'swaps', fields: ['a', 'b', 'c'].map((name) => ({ name, type: 'text' })) })
  await store.db.query(`insert into swaps (id, a, b, c) values ('one', 'A', 'B', 'C')`)
  const [a, b] = ['a', 'b'].map((name) => fieldId('swaps', name))
  const fields = [
    { id: a, name: 'b', type: 'text' },
    { id: b, name: 'a', type: 'text' },
    { name: 'd', type: 'number' },
  ]
  await update(store, 'swaps', { fields })
  expect(await rowsOf(store, 'swaps', 'a', 'b', 'd')).toEqual([['B', 'A', 0]])
  expect(store.catalog.find('swaps')!.fields.map(({ name }) => name)).toEqual(['id', 'b', 'a', 'd'])
})

test('a renamed collection keeps its records, and its old name is free', async () => {
  await create(store, { name: 'before', indexes: ['CREATE INDEX idx_before ON before (id)'] })
  await store.db.query(`insert into before (id) values ('one')`)
  await update(store, 'before', { name: 'after' })
  expect(await rowsOf(store, 'after', 'id')).toEqual([['one']])
  expect(store.catalog.find('after')!.indexes).toEqual(['CREATE INDEX `idx_before` ON `after` (`id`)'])
  await create(store, { name: 'before' })
})

test('a unique index over equal values is refused, and nothing changes', async () => {
  await create(store, { name: 'equals', fields: ['a', 'b'].map((name) => ({ name, type: 'text' })) })
  await store.db.query(`insert into equals (id, a) values ('one', 'x'), ('two', 'x')`)
  const indexes = [
    'CREATE UNIQUE INDEX idx_equals ON equals (A, `b`)',
    'CREATE INDEX idx_nope ON equals (nope)',
    'CREATE UNIQUE INDEX idx_lower ON equals (a, lower(b))',
  ]
  const refused = await refusal(update(store, 'equals', { indexes, listRule: '' }))
  expect(refused?.data).toMatchObject({
    indexes: {
      0: {
        code: 'validation_invalid_index_expression',
        message:
          'Failed to create index idx_equals - constraint failed: UNIQUE constraint failed: equals.a, equals.b (2067).',
      },
      1: {
        code: 'validation_invalid_index_expression',
        message: 'Failed to create index idx_nope - SQL logic error: no such column: nope (1).',
      },
      2: {
        message:
          "Failed to create index idx_lower - constraint failed: UNIQUE constraint failed: index 'idx_lower' (2067).",
      },
    },
  })
  expect(store.catalog.find('equals')).toMatchObject({ indexes: [], listRule: null })
})

test('NOCASE: capitals do not make a difference', async () => {
  const indexes = ['CREATE UNIQUE INDEX idx_nocase ON nocase (a COLLATE NOCASE)']
  await create(store, { name: 'nocase', fields: [{ name: 'a', type: 'text' }], indexes })
  await store.db.query(`insert into nocase (id, a) values ('one', 'Ann')`)
  await expect(store.db.query(`insert into nocase (id, a) values ('two', 'aNN')`)).rejects.toThrow(
    'idx_nocase',
  )
})

test.each([
  ['long names', 'n'.repeat(255), 'f'.repeat(100)],
  ['names that Postgres has itself', 'pg_class', 'xmin'],
  ['names of the gateway', 'line_use', 'line_use'],
  ['the same in capitals', 'Push_Hours', 'push_hours'],
  ['keywords', 'order', 'user'],
])('%s can be tables and columns', async (_, name, field) => {
  await create(store, { name, fields: [{ name: field, type: 'text' }] })
  await update(store, name, {
    fields: [
      { name: field, type: 'text' },
      { name: 'more', type: 'bool' },
    ],
  })
  await create(store, { name: 'reading', type: 'view', viewQuery: `select id from "${name}"` })
  await removeCollection(store, 'reading')
  await removeCollection(store, name)
  expect(store.catalog.find(name)).toBeUndefined()
})

test('servers that would take a table of the gateway for one of these stop', async () => {
  await create(store, { name: 'sms_turns' })
  expect((await store.db.query('select oldest >= 7 from _schema')).rows).toEqual([[true]])
})

test('another authRule ends the sessions that the old one allowed', async () => {
  const secret = (name: string) => {
    const collection = store.catalog.find(name)!
    return collection.type === 'auth' ? collection.authToken.secret : ''
  }
  await create(store, { name: 'patrons', type: 'auth' })
  const first = secret('patrons')
  await update(store, 'patrons', { listRule: '' })
  expect(secret('patrons')).toBe(first)
  await update(store, 'patrons', { authRule: 'verified = true' })
  expect(secret('patrons')).not.toBe(first)
})

test('a collection that somebody has just renamed is deleted under its new name', async () => {
  const { id } = await create(store, { name: 'renamed_from' })
  const stale = store.catalog
  await update(store, 'renamed_from', { name: 'renamed_to' })
  // as a node whose word of the change is still on its way
  await removeCollection({ catalog: stale, change: (work) => store.change(work) }, 'renamed_from')
  expect(store.catalog.find(id)).toBeUndefined()
  const { rows } = await store.db.query(
    `select to_regclass('renamed_from') is null and to_regclass('renamed_to') is null`,
  )
  expect(rows).toEqual([[true]])
  const gone = removeCollection({ catalog: stale, change: (work) => store.change(work) }, 'renamed_from')
  await expect(refusal(gone)).resolves.toMatchObject({ status: 404 })
})

test('a key that a view is grouped by stays, and indexes change', async () => {
  await create(store, { name: 'grouped', fields: [{ name: 'a', type: 'text' }] })
  await store.db.query('create view by_key as select id, a from grouped group by id')
  await update(store, 'grouped', { indexes: ['CREATE UNIQUE INDEX idx_grouped ON grouped (a)'] })
  expect(store.catalog.find('grouped')!.indexes).toHaveLength(1)
  await store.db.query('drop view by_key')
})
