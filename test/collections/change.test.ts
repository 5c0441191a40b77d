import { removeCollection } from '../../src/collections/edit/edit.ts'
import { collectionStore, create, refusal, update } from '../support/collection-store.ts'

const store = await collectionStore()

test.each([
  ['long names', 'n'.repeat(255), 'f'.repeat(100)],
  ['names that Postgres has itself', 'pg_class', 'xmin'],
  ['names of the gateway', 'line_use', 'line_use'],
  ['the same in capitals', 'Push_Hours', 'push_hours'],
  ['keywords', 'order', 'user'],
  ['a column that each table has', 'columns_of_ours', '_rowid'],
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
