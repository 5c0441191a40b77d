import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Catalog } from '../../../src/engine/collections/catalog.ts'
import { type Collection, SUPERUSERS } from '../../../src/engine/collections/collection.ts'
import type { Extensions } from '../../../src/engine/records/collection-extension.ts'
import { findApi } from '../../../src/http/metrics/group-requests.ts'
import { sendGatewayError } from '../../../src/http/middleware/answer-errors.ts'
import { type DescribedRoutes, makeOpenApiDocument } from '../../../src/http/openapi/document.ts'
import { readRoutedPath } from '../../../src/http/server/clean-paths.ts'
import { DESCRIBED } from '../../../src/main/api-description.ts'
import { BUILT_IN } from '../../../src/main/collection-definitions.ts'
import { APIS } from '../../../src/main/features.ts'
import { Lru } from '../../../src/platform/tools/lru.ts'
import type { GivenAnswer } from './answers.ts'

type Json = Record<string, unknown>
type Answers = Record<string, { content?: Record<string, unknown> }>

/** Where every route of collections must be described. */
const OF_COLLECTION = /^\/api\/collections\/(?!meta\/)[^/]+\/(?!truncate$)/

/** Whether the description lacks the route of an answer. Other products have paths that only refuse. */
function isMissing(path: string, status: number): boolean {
  const api = findApi(APIS, path)
  if (OF_COLLECTION.test(path) || (api?.isOwn && api.errorForm === sendGatewayError))
    return status !== 404
  return status < 400 && api?.paths !== undefined
}

/** Making a description takes a second, and most servers of tests have the same collections. */
const MAX_DESCRIPTIONS = 20
const descriptions = new Lru<string, Described>(MAX_DESCRIPTIONS)

const judges = new WeakMap<Catalog, (answer: GivenAnswer) => string | undefined>()

/** Validates answers of a server with these collections, its own ones included. */
export function validatorOf(
  catalog: Catalog,
  extensions: Extensions,
): (answer: GivenAnswer) => string | undefined {
  const known = judges.get(catalog)
  if (known) return known
  const described = new Lru<string, Described>(MAX_DESCRIPTIONS)
  const describe = (name: string) =>
    described.get(name) ??
    described.set(name, descriptionOf(collectionsFor(catalog, name), extensions, routesFor(name)))
  const judge = (answer: GivenAnswer) => {
    const path = describedPath(catalog, answer.url)
    if (path === undefined || answer.method === 'OPTIONS') return undefined
    const [, name = ''] = /^\/api\/collections\/([^/]+)/.exec(path) ?? []
    const fault = describe(name).faultOf(answer, path)
    return (
      fault &&
      `${answer.method} ${answer.url} → ${answer.status}: ${fault}\n  ${answer.body.slice(0, 500)}`
    )
  }
  judges.set(catalog, judge)
  return judge
}

/** Collections that every server has. */
const OWN = [...BUILT_IN.raw.keys(), SUPERUSERS]
const PATHS_OF_OWN = OWN.map((name) => `/api/collections/${name}/`)

/**
 * The description without routes that do not answer below another collection than `OWN`: making these takes
 * nine tenths of the time.
 */
const OTHER_ROUTES: readonly DescribedRoutes[] = DESCRIBED.map(({ paths }) => ({
  paths: (records) =>
    Object.fromEntries(
      Object.entries(paths?.(records) ?? {}).filter(
        ([path]) =>
          path.startsWith('/api/collections/') &&
          !PATHS_OF_OWN.some((start) => path.startsWith(start)),
      ),
    ),
}))

/** The routes of which one may answer below `/api/collections/{name}`; all without a name. */
const routesFor = (name: string) => (name === '' || OWN.includes(name) ? DESCRIBED : OTHER_ROUTES)

/**
 * What answers below `/api/collections/{name}` may hold records of: the collections that every server has,
 * the named one, and all that their relations lead to. A new collection elsewhere does not change them.
 */
function collectionsFor(catalog: Catalog, name: string): Collection[] {
  const found = new Set<Collection>()
  const add = (key: string) => {
    const collection = catalog.find(key)
    if (!collection || found.has(collection)) return
    found.add(collection)
    for (const field of collection.fields) if (field.type === 'relation') add(field.collectionId)
  }
  for (const id of OWN) add(id)
  add(name)
  return catalog.all.filter((collection) => found.has(collection))
}

/**
 * The description of collections, made once for those with equal answers, whatever their rules, options,
 * secrets and times are. Extensions are the same for all servers.
 */
function descriptionOf(
  collections: readonly Collection[],
  extensions: Extensions,
  routes: readonly DescribedRoutes[],
): Described {
  const answered = collections.map(({ id, name, type, fields }) => [id, name, type, fields])
  const key = JSON.stringify([routes === DESCRIBED, ...answered])
  return (
    descriptions.get(key) ?? descriptions.set(key, new Described(collections, extensions, routes))
  )
}

/** The path as the description has it: collections by their name. Undefined where no path of the API is. */
function describedPath(catalog: Catalog, url: string): string | undefined {
  const path = readRoutedPath(APIS, url)
  if (
    !(path.startsWith('/api/') || findApi(APIS, path)) ||
    /%(?![0-9a-f]{2})|\/\/|\/\./i.test(path)
  )
    return undefined
  return path.replace(
    /^(\/api\/collections\/)([^/]+)(?=\/)/,
    (whole, start: string, name: string) => {
      const collection = catalog.find(decodeURIComponent(name))
      return collection ? start + collection.name : whole
    },
  )
}

/** How files of any type are described. */
const FILE = 'application/octet-stream'

/** The description's own schemas are checked by test/http/openapi, not for each server again. */
const AJV = { strict: false, meta: false, validateSchema: false } as const

/** One description, ready to hold answers against. */
class Described {
  readonly #paths: readonly (readonly [RegExp, path: string, methods: Json])[]
  readonly #document: Json
  readonly #whole: Ajv2020
  #part: Ajv2020 | undefined
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(
    collections: readonly Collection[],
    extensions: Extensions,
    described: readonly DescribedRoutes[],
  ) {
    const document = makeOpenApiDocument({
      url: '',
      collections,
      extensions,
      described,
    })
    const { paths, components } = JSON.parse(JSON.stringify(document)) as Record<string, Json>
    this.#paths = Object.entries(paths!).map(([path, methods]) => [
      matcherOf(path),
      path,
      methods as Json,
    ])
    this.#document = { paths, components: walk(components, close) }
    this.#whole = new Ajv2020(AJV).addSchema(this.#document, 'api')
  }

  /** For answers of which `fields` shows a part. */
  #ofPart(): Ajv2020 {
    this.#part ??= new Ajv2020(AJV).addSchema(walk(this.#document, loosen) as Json, 'api')
    return this.#part
  }

  faultOf(answer: GivenAnswer, path: string): string | undefined {
    const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase()
    const found = this.#paths.find(([matcher, , methods]) => matcher.test(path) && methods[method])
    if (!found) return isMissing(path, answer.status) ? 'the route is not described' : undefined
    const [, template, methods] = found
    const { responses } = methods[method] as { responses: Answers }
    // `refuseHead` answers 405
    if (answer.status === 304 || (answer.method === 'HEAD' && answer.status === 405))
      return undefined
    if (!responses[answer.status]) return 'the status is not described'
    const pointer = ['paths', template, method, 'responses', String(answer.status)]
    return this.#faultOfBody(answer, pointer, responses[answer.status]!)
  }

  #faultOfBody(
    answer: GivenAnswer,
    pointer: string[],
    response: { $ref?: string; content?: Json },
  ) {
    const [at, described] = response.$ref ? this.#resolve(response.$ref) : [pointer, response]
    const types = Object.keys(described.content ?? {})
    if (types.length === 0) return answer.body === '' ? undefined : 'no body is described'
    const type = types.find((each) => each === FILE || answer.contentType.startsWith(each))
    if (!type) return `${answer.contentType || 'no content type'} is not described`
    if (type !== 'application/json' || answer.method === 'HEAD') return undefined
    return this.#faultOfJson(answer, [...at, 'content', type, 'schema'])
  }

  #resolve(ref: string): [string[], { content?: Json }] {
    const pointer = ref.slice(2).split('/')
    const found = pointer.reduce<Json>((part, key) => part[key] as Json, this.#document)
    return [pointer, found as { content?: Json }]
  }

  #faultOfJson(answer: GivenAnswer, pointer: string[]): string | undefined {
    const isPart = /[?&]fields=[^&]/.test(answer.url)
    // a modifier that `fields` does not know leaves nothing, as in PocketBase
    if (isPart && answer.body === '') return undefined
    const validate = this.#validator(isPart, pointer)
    const json = parse(answer.body)
    if (json === undefined) return 'the body is no JSON'
    if (validate(json)) return undefined
    const errors = (validate.errors ?? []).map(
      ({ instancePath, message, params, schemaPath }) =>
        `${instancePath || 'the body'} ${message} ${JSON.stringify(params)} (${decodeURIComponent(schemaPath)})`,
    )
    return errors.join('\n  ')
  }

  #validator(isPart: boolean, pointer: string[]): ValidateFunction {
    const $ref = `api#/${pointer.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
    const key = `${isPart} ${$ref}`
    const known = this.#compiled.get(key)
    if (known) return known
    const made = (isPart ? this.#ofPart() : this.#whole).compile({ $ref })
    this.#compiled.set(key, made)
    return made
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `/a/{id}` → a pattern of the paths it stands for. */
const matcherOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)

/** The same JSON with each object changed. */
function walk(json: unknown, change: (object: Json) => Json): unknown {
  if (Array.isArray(json)) return json.map((item) => walk(item, change))
  if (typeof json !== 'object' || json === null) return json
  return change(
    Object.fromEntries(Object.entries(json).map(([key, value]) => [key, walk(value, change)])),
  )
}

/** Here all fields of a collection are known: a record may have no others. */
const close = (schema: Json): Json =>
  schema['x-collection'] ? { ...schema, additionalProperties: false } : schema

const IN_WHOLE = ['required', 'enum', 'const', 'pattern']

/** What holds for a part of an answer, with texts cut short. */
const loosen = (schema: Json): Json =>
  'type' in schema && !isMap(schema)
    ? Object.fromEntries(Object.entries(schema).filter(([key]) => !IN_WHOLE.includes(key)))
    : schema

/** An object of schemas by name, one of which is called `type`. */
const isMap = ({ type }: Json) => typeof type !== 'string' && !Array.isArray(type)
