import { collectionJson, complete, readNew, readStored } from '../../src/collections/definition/complete.ts'

const make = (raw: unknown) => complete(readNew(raw))

test('a collection of an older release has empty lists, too', () => {
  const old = {
    name: 'x',
    type: 'base',
    fields: [{ name: 'a', type: 'file', mimeTypes: null, thumbs: null }],
  }
  expect(readStored(JSON.stringify(old)).fields).toMatchObject([{ mimeTypes: [], thumbs: [] }])
})

test('answers have PocketBase key order and no secrets', () => {
  const text = collectionJson(make({ name: 'x', type: 'auth', viewQuery: 'no' }))
  expect(Object.keys(JSON.parse(text)).slice(0, 14)).toEqual([
    'id',
    'listRule',
    'viewRule',
    'createRule',
    'updateRule',
    'deleteRule',
    'name',
    'type',
    'fields',
    'indexes',
    'created',
    'updated',
    'system',
    'authRule',
  ])
  expect(text).not.toContain('secret')
  expect(text).toContain('<p>Hello')
})
