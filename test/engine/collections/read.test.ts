import { renderCollection } from '../../../src/engine/collections/definition/collection-json.ts'
import { completeCollection } from '../../../src/engine/collections/definition/complete-collection.ts'
import {
  parseNewCollection,
  parseStoredCollection,
} from '../../../src/engine/collections/definition/read-collection.ts'

const make = (raw: unknown) => completeCollection(parseNewCollection(raw))

test('a stored collection with null lists is read with empty ones', () => {
  const fields = [{ name: 'a', type: 'file', mimeTypes: null, thumbs: null }]
  const old = JSON.stringify({ name: 'x', type: 'base', fields })
  expect(parseStoredCollection(old).fields).toMatchObject([{ mimeTypes: [], thumbs: [] }])
})

test("collections are answered in PocketBase's key order and without secrets", () => {
  const text = renderCollection(make({ name: 'x', type: 'auth', viewQuery: 'no' }))
  const rules = ['listRule', 'viewRule', 'createRule', 'updateRule', 'deleteRule']
  const rest = ['name', 'type', 'fields', 'indexes', 'created', 'updated', 'system', 'authRule']
  expect(Object.keys(JSON.parse(text)).slice(0, 14)).toEqual(['id', ...rules, ...rest])
  expect(text).not.toContain('secret')
  expect(text).toContain('<p>Hello')
})
