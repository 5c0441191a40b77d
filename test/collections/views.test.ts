import { expect, test } from 'vitest'
import { removeCollection } from '../../src/collections/edit/edit.ts'
import { collectionStore, create, refusal, rowsOf, update } from '../support/collection-store.ts'

const kind = (maxSelect: number) => ({ name: 'kind', type: 'select', values: ['p', 'q'], maxSelect })
const fields = [
  { name: 'userName', type: 'text' },
  { name: 'user', type: 'text' },
  { name: 'rank', type: 'number' },
  { name: 'flag', type: 'bool' },
]

const store = await collectionStore()
await create(store, { name: 'people', fields: [...fields, kind(1)] })
await store.db.query(
  `insert into people (id, "userName", "user", rank, flag, kind) values ('one', 'Ann', 'u1', 2, true, 'p'), ('two', 'Bob', '', 3, false, '')`,
)

const view = (name: string, viewQuery: string) => create(store, { name, type: 'view', viewQuery })
test('a view follows the fields it shows, also one over a view', async () => {
  await view('kinds', 'select id, kind from people')
  await view('kinds_again', 'select id, kind as k from kinds')
  await update(store, 'people', { fields: [...fields, kind(2)] })
  expect(store.catalog.find('kinds_again')!.fields[1]).toMatchObject({ type: 'select', maxSelect: 2 })
  expect(await rowsOf(store, 'kinds_again', 'k')).toEqual([[['p']], [[]]])
})

test('a view that another one reads can be renamed, and show more', async () => {
  await update(store, 'kinds', { viewQuery: 'select id, kind, rank from people' })
  await update(store, 'kinds', { name: 'sorts' })
  expect(await rowsOf(store, 'sorts', 'rank')).toEqual([[2], [3]])
  expect(await rowsOf(store, 'kinds_again', 'id')).toEqual([['one'], ['two']])
  await update(store, 'sorts', { name: 'kinds' })
})

test('a view that is there can come to read another one', async () => {
  await view('later', 'select id from people')
  await update(store, 'later', { viewQuery: "select id, IFNULL(id, '') as again from kinds_again" })
  expect(await rowsOf(store, 'later', 'id', 'again')).toEqual([
    ['one', '"one"'],
    ['two', '"two"'],
  ])
  await removeCollection(store, 'later')
})

test('a field that a view shows cannot go, nor its collection', async () => {
  const dropped = await refusal(update(store, 'people', { fields }))
  expect(dropped?.message).toMatch(/^Failed to update collection\. Raw error: \n/)
  const deleted = await refusal(removeCollection(store, 'people'))
  expect(deleted?.message).toBe('Failed to delete collection.')
  expect(await rowsOf(store, 'kinds', 'id')).toHaveLength(2)
})
