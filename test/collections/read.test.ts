import { expect, test } from 'vitest'
import { complete } from '../../src/collections/definition/complete.ts'
import { readNew, readOver, readStored } from '../../src/collections/definition/read.ts'
import { collectionJson } from '../../src/collections/definition/serialise.ts'
import { ShapeError } from '../../src/fields/shape.ts'

const make = (raw: unknown) => complete(readNew(raw))
const names = (raw: unknown) => make(raw).fields.map(({ name }) => name)

test('a taken id gets a number', () => {
  expect(complete(readNew({ name: 'cats' }), new Set(['pbc_3834699042'])).id).toBe('pbc_38346990422')
})

test.each([
  [
    'a system field stays where the collection has it',
    {
      name: 'x',
      type: 'auth',
      fields: [
        { name: 'email', type: 'email' },
        { name: 'a', type: 'text' },
      ],
    },
    ['id', 'email', 'a', 'password', 'tokenKey', 'emailVisibility', 'verified'],
  ],
  ['view: none', { name: 'x', type: 'view' }, []],
])('%s', (_, raw, expected) => expect(names(raw)).toEqual(expected))

test('system fields keep their system settings', () => {
  const { fields } = make({
    name: 'x',
    type: 'auth',
    fields: [{ name: 'password', type: 'password', hidden: false }],
  })
  expect(fields.find(({ name }) => name === 'password')).toMatchObject({
    hidden: true,
    system: true,
    required: true,
  })
})

test.each([
  ['a missing field list', { fields: null }, []],
  [
    'keys as they are written',
    { fields: [{ name: 'a', type: 'bool', Required: true }] },
    [{ required: false }],
  ],
  ['null is zero', { fields: [{ name: 'a', type: 'text', max: null }] }, [{ max: 0 }]],
])('fields: %s', (_, raw, expected) => expect(readNew(raw).fields).toMatchObject(expected))

test.each([
  ['an object for a list', { fields: {} }],
  ['a fraction for a whole number', { fields: [{ name: 'a', type: 'text', max: 1.5 }] }],
  ['more than 64 bits', { fields: [{ name: 'a', type: 'text', max: 1e20 }] }],
  ['a number for a rule', { listRule: 1 }],
])('refused: %s', (_, raw) => expect(() => readNew(raw)).toThrow(ShapeError))

test('a change keeps what it does not name, and the secrets', () => {
  const providers = [{ name: 'github', clientId: 'a', clientSecret: 's' }]
  const old = make({ name: 'x', type: 'auth', listRule: '', oauth2: { enabled: true, providers } })
  const submitted = [{ name: 'gitlab' }, { name: 'github', clientId: 'b' }]
  const next = readOver({ oauth2: { providers: submitted }, listRule: null, fileToken: null }, old)
  expect(next).toMatchObject({
    listRule: null,
    oauth2: { enabled: true, providers: [{ clientSecret: '' }, { clientId: 'b', clientSecret: 's' }] },
    fileToken: { duration: 0, secret: '' },
  })
})

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
