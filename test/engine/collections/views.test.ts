import { removeCollection } from '../../../src/engine/collections/edit.ts'
import { collectionStore, create, refusal, rowsOf, update } from '../../support/collection-store.ts'

const kind = { name: 'kind', type: 'select', values: ['p', 'q'], maxSelect: 1 }
const fields = [{ name: 'rank', type: 'number' }]

const store = await collectionStore()
await create(store, { name: 'people', fields: [...fields, kind] })
await store.db.query(`insert into people (id, rank, kind) values ('one', 2, 'p'), ('two', 3, '')`)
await create(store, { name: 'kinds', type: 'view', viewQuery: 'select id, kind from people' })
await create(store, {
  name: 'kinds_again',
  type: 'view',
  viewQuery: 'select id, kind as k from kinds',
})

test('a field or collection that a view uses cannot be deleted', async () => {
  const dropped = await refusal(update(store, 'people', { fields }))
  expect(dropped?.message).toMatch(/^Failed to update collection\. Raw error: \n/)
  const deleted = await refusal(removeCollection(store, 'people'))
  expect(deleted?.message).toBe('Failed to delete collection.')
  expect(await rowsOf(store, 'kinds', 'id')).toHaveLength(2)
})
