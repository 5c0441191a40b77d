import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { listDescribedCollections } from '../../../src/http/openapi/described-collections.ts'
import { makeOpenApiDocument } from '../../../src/http/openapi/document.ts'
import { describeField } from '../../../src/http/openapi/record-schema.ts'
import { DESCRIBED } from '../../../src/main/api-description.ts'
import { createApp } from '../../../src/main/app.ts'
import { BUILT_IN } from '../../../src/main/collection-definitions.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { PROTOCOLS } from '../../../src/protocols/protocols.ts'
import { startServer } from '../../support/server/start.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { makeWebhook, sendAndReport, startWebhookFixture } from '../../support/webhook-fixture.ts'

type Json = Record<string, unknown>

const subject = {
  url: 'https://sms.example.com',
  collections: listDescribedCollections(BUILT_IN),
  extensions: collectExtensions(readConfig({})),
  described: DESCRIBED,
}
const text = JSON.stringify(makeOpenApiDocument(subject))
const document = JSON.parse(text) as Record<
  'paths' | 'webhooks',
  Record<string, Record<string, Json>>
> &
  Json

/** All places of the document that hold an object, by JSON pointer. */
function places(json: unknown, at = '#'): [string, Json][] {
  if (typeof json !== 'object' || json === null) return []
  const below = Object.entries(json).flatMap(([key, value]) =>
    places(value, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
  return Array.isArray(json) ? below : [[at, json as Json], ...below]
}

const all = places(document)
const operations = Object.entries({ ...document.paths, ...document.webhooks }).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
)

describe('the OpenAPI description', () => {
  test('the OpenAPI description is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(JSON.parse(text))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  test('the OpenAPI description refers only to existing parts', () => {
    const known = new Set(all.map(([at]) => at))
    const refs = all.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
    expect(refs.length).toBeGreaterThan(100)
    expect(refs.filter((ref) => !known.has(ref))).toEqual([])
  })

  test('the OpenAPI description names each operation once', () => {
    const ids = operations.map(([, { operationId }]) => operationId)
    expect(ids.filter((id, i) => !id || ids.indexOf(id) !== i)).toEqual([])
  })

  test('the OpenAPI description has a summary, a known tag and an answer for each operation', () => {
    const tags = new Set((document.tags as { name: string }[]).map(({ name }) => name))
    const poor = operations.filter(
      ([, { summary, tags: own, responses }]) =>
        !summary ||
        !(own as string[]).every((tag) => tags.has(tag)) ||
        Object.keys(responses as Json).length === 0,
    )
    expect(poor.map(([name]) => name)).toEqual([])
  })

  test("the OpenAPI description names the server's address", () =>
    expect(document.servers).toEqual([{ url: subject.url }]))
})

describe('examples', () => {
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv)
  ajv.addSchema(document, 'api')
  const fault = (pointer: string, example: unknown) => {
    const validate = ajv.compile({ $ref: `api${encodeURI(pointer)}` })
    return validate(example) ? [] : [`${pointer}: ${ajv.errorsText(validate.errors)}`]
  }

  test('examples of bodies match their schemas', () => {
    const media = all.filter(
      ([, place]) => 'schema' in place && ('example' in place || 'examples' in place),
    )
    expect(media.length).toBeGreaterThan(30)
    const faults = media.flatMap(([at, { example, examples }]) => {
      const given = Object.values((examples ?? {}) as Record<string, { value: unknown }>).map(
        ({ value }) => value,
      )
      return [...given, ...(example === undefined ? [] : [example])].flatMap((one) =>
        fault(`${at}/schema`, one),
      )
    })
    expect(faults).toEqual([])
  })

  test('examples of values match their schemas', () => {
    const schemas = all.filter(
      ([, { type, examples }]) => typeof type === 'string' && Array.isArray(examples),
    )
    expect(schemas.length).toBeGreaterThan(10)
    expect(
      schemas.flatMap(([at, { examples }]) =>
        (examples as unknown[]).flatMap((one) => fault(at, one)),
      ),
    ).toEqual([])
  })
})

describe('the descriptions of collections', () => {
  test('the descriptions of collections cover each built-in collection and field', () => {
    const missing = subject.collections.flatMap(({ name, about, fields }) => [
      ...(about ? [] : [name]),
      ...fields
        .filter((field) => !describeField(field) && field.name !== 'tokenKey')
        .map((field) => `${name}.${field.name}`),
    ])
    expect(missing).toEqual([])
  })
})

test('every API of another product has a description, except the one of the SMSGate app', () => {
  expect(PROTOCOLS.filter(({ paths }) => !paths).map(({ group }) => group)).toEqual([])
})

/** Routes that need no description: pages and files, routes of superusers, the SMSGate app's. */
const UNDESCRIBED = new RegExp(
  [
    String.raw`^GET (\/_)?(\/assets\/.*|\/[\w-]+\.\w+|\/docs)?$`,
    String.raw`^GET \/metrics$`,
    String.raw`^\w+ \/api\/(audit|crons|mobile|oauth2-redirect|openapi\.json|settings|sql)(\/.*)?$`,
    String.raw`^\w+ \/api\/collections(\/import|\/meta\/.*|\/\{collection\}(\/truncate)?)?$`,
    String.raw`^GET \/api\/hooks(\/\{\})?$`,
  ].join('|'),
)

/** What a parameter is called does not matter, but for the collection's. */
const nameless = (route: string) =>
  route.replace(/\{(?!collection\})\w+\}(\.json$)?/g, '{}').replace(/(.)\/$/, '$1')

const server = await startServer()
const { paths } = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as {
  paths: Record<string, object>
}
const names = server.services.store.catalog.all.map(({ name }) => name).join('|')
const ofCollection = new RegExp(`^/api/collections/(${names})/`)
const described = new Set(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) =>
      nameless(
        `${method.toUpperCase()} ${path.replace(ofCollection, '/api/collections/{collection}/')}`,
      ),
    ),
  ),
)
const { routes } = createApp(server.services)
const routed = new Set(
  routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`)
    .map(nameless),
)

test('no body of a request is a choice of objects, of which some generators make wrong code', () => {
  const isObject = (one: Json) => '$ref' in one || one.type === 'object'
  const choices = all.flatMap(([at, { anyOf, oneOf }]) => {
    const variants = (anyOf ?? oneOf ?? []) as Json[]
    return at.includes('/requestBody/') && variants.filter(isObject).length > 1 ? [at] : []
  })
  expect(choices).toEqual([])
})

test('each route is described', () => {
  expect([...routed].filter((route) => !UNDESCRIBED.test(route) && !described.has(route))).toEqual(
    [],
  )
})

test('each described operation has a route', () => {
  expect(described.size).toBeGreaterThan(40)
  expect([...described].filter((route) => !routed.has(route))).toEqual([])
})

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)

const fixture = await startWebhookFixture()
const user = await fixture.gateway.makeUser()
const receiver = await startReceiver()
ajv.addSchema(
  (await (await fetch(`${fixture.gateway.url}/api/openapi.json`)).json()) as object,
  'api',
)

test('webhook calls match their description', async () => {
  const phone = await fixture.gateway.pair(user)
  const { id } = await makeWebhook(user, receiver.url)
  await user.call('POST', `/api/webhooks/${id}/test`)
  await sendAndReport(user, phone, 1, 'sent', 'delivered')
  const told = await receiver.heard(3)
  expect(told.map(({ event }) => event.type).sort()).toEqual([
    'message.delivered',
    'message.sent',
    'webhook.test',
  ])
  for (const { event } of told) {
    const at = `api#/webhooks/${event.type}/post/requestBody/content/application~1json/schema`
    expect([event.type, ajv.validate({ $ref: at }, event), ajv.errorsText()]).toEqual([
      event.type,
      true,
      'No errors',
    ])
  }
})
