import { makeReadableForGenerators } from '../../../src/http/openapi/document.ts'
import { startServerWithUsers } from '../../support/server/server-with-users.ts'

// What generators of clients need. `npm run test:generators` compiles what they make; these tests say what
// broke it before.

const server = await startServerWithUsers()
const document: object = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as object

/** All objects of the document, with the names on their way. */
function listParts(root: object): [string, Record<string, unknown>][] {
  const found: [string, Record<string, unknown>][] = []
  const left: [string, unknown][] = [['', root]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [path, part] = next
    if (typeof part !== 'object' || part === null) continue
    if (!Array.isArray(part)) found.push([path, part as Record<string, unknown>])
    for (const [key, value] of Object.entries(part)) left.push([`${path}/${key}`, value])
  }
  return found
}
const parts = listParts(document)

test('no schema has several types', () => {
  expect(parts.filter(([, { type }]) => Array.isArray(type)).map(([path]) => path)).toEqual([])
})

test('every content has a schema, and a type that generators read', () => {
  for (const [path, { content }] of parts)
    for (const [type, one] of Object.entries((content ?? {}) as Record<string, object>))
      if (type.includes('/'))
        expect([path, type, one]).toEqual([
          path,
          expect.not.stringContaining('*'),
          expect.objectContaining({ schema: expect.anything() }),
        ])
})

test('no schema has properties whose names differ in signs alone', () => {
  for (const [path, { properties }] of parts) {
    const names = Object.keys((properties ?? {}) as object)
    const plain = names.map((name) => name.replace(/[^\w@$.-]|[+-]$/g, ''))
    expect([path, new Set(plain).size]).toEqual([path, names.length])
  }
})

test('no names of properties or schemas become one name in another language', () => {
  const fold = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase()
  const findEqual = (names: readonly string[]) =>
    names.flatMap((name, i) => {
      const first = names.find((other) => fold(other) === fold(name))!
      return names.indexOf(first) < i ? [[first, name].sort().join(' ')] : []
    })
  const [, components] = parts.find(([path]) => path === '/components')!
  const schemas = Object.keys(components.schemas as object)
  expect(findEqual(schemas)).toEqual([])
  for (const [path, { properties }] of parts) {
    // records have modifiers of fields, such as `lines+`
    const names = Object.keys((properties ?? {}) as object).filter((name) => !/\W/.test(name))
    expect([path, findEqual(names)]).toEqual([path, []])
  }
})

test('no schema has the name of the function by which Go makes another one', () => {
  const [, components] = parts.find(([path]) => path === '/components')!
  const schemas = new Set(Object.keys(components.schemas as object))
  expect(
    [...schemas].filter((name) => schemas.has(name.replace(/^New/, '')) && name.startsWith('New')),
  ).toEqual([])
})

test('a type of several names becomes anyOf with the same meaning', () => {
  const schema = { type: ['string', 'null'], maxLength: 5, description: 'A name.' }
  makeReadableForGenerators(schema)
  expect(schema).toEqual({
    description: 'A name.',
    anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }],
  })
})

test('an open object of constants alone becomes one of enums', () => {
  const schema = { properties: { jsonrpc: { const: '2.0' } }, additionalProperties: {} }
  makeReadableForGenerators(schema)
  expect(schema.properties).toEqual({ jsonrpc: { enum: ['2.0'] } })
})

test('a constant that is an integer has this type', () => {
  const schema = { type: 'number', const: 400 }
  makeReadableForGenerators(schema)
  expect(schema).toEqual({ type: 'integer', const: 400 })
})

test('of names that differ in case alone the first stays, and the other remains allowed', () => {
  const url = { type: 'string' }
  const schema = {
    properties: { authURL: url, authUrl: url },
    required: ['authURL', 'authUrl'],
    additionalProperties: false,
  }
  makeReadableForGenerators(schema)
  expect(schema).toEqual({ properties: { authURL: url }, required: ['authURL'] })
})

test('a body of several types that may hold anything is not demanded', () => {
  const content = { 'application/json': {}, 'application/x-www-form-urlencoded': { schema: {} } }
  const operation = { requestBody: { required: true, content } }
  makeReadableForGenerators(operation)
  expect(operation.requestBody.required).toBe(false)
})

test('no union holds a map, whose class Java cannot name', () => {
  const [, components] = parts.find(([path]) => path === '/components')!
  const schemas = components.schemas as Record<string, Record<string, unknown>>
  const isMap = (schema: Record<string, unknown>): boolean =>
    typeof schema.$ref === 'string'
      ? isMap(schemas[schema.$ref.split('/').at(-1)!]!)
      : Boolean(schema.additionalProperties) && schema.properties === undefined
  const broken = parts.filter(([, { anyOf }]) => {
    const kinds = (Array.isArray(anyOf) ? anyOf : []).filter(({ type }) => type !== 'null')
    return kinds.length > 1 && kinds.some(isMap)
  })
  expect(broken.map(([path]) => path)).toEqual([])
})
