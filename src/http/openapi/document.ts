import { writeFileSync } from 'node:fs'
import { defineCommand } from 'citty'
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { UserError } from '../../platform/api-errors.ts'
import type { DescribedCollection } from './described-collections.ts'
import { makeRecordSchemas, makeRecordTag, type RecordSchemas } from './record-schema.ts'
import { SECURITY_SCHEMES } from './security.ts'

/** The pages about the product, once a release has named the repository in package.json. */
const homepage = 'homepage' in packageJson ? String(packageJson.homepage) : ''
const PAGES = homepage !== '' && { description: 'Guides', url: `${homepage}/tree/main/docs#readme` }

interface DocumentScope {
  readonly url: string
  readonly collections: readonly DescribedCollection[]
  readonly extensions: Extensions
  readonly described: readonly DescribedRoutes[]
}

export interface DescribedRoutes {
  /** About the API as a whole, as Markdown. */
  readonly about?: string
  readonly tags?: readonly { readonly name: string; readonly description: string }[]
  readonly paths?: (records: DescribedRecords) => ZodOpenApiPathsObject
  /** Calls that the server makes, by event. */
  readonly webhooks?: (records: DescribedRecords) => ZodOpenApiPathsObject
}

export interface DescribedRecords extends Pick<DocumentScope, 'collections' | 'extensions'> {
  readonly schemaOf: RecordSchemas
}

/** The whole API as an OpenAPI 3.1 document, made from the schemas that check requests and type answers. */
export function makeOpenApiDocument({ url, collections, extensions, described }: DocumentScope) {
  const schemaOf = makeRecordSchemas(collections)
  const records = { collections, schemaOf, extensions }
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'pocketsms',
        version: packageJson.version,
        description: described.flatMap(({ about = [] }) => about).join('\n\n'),
        license: { name: packageJson.license, identifier: packageJson.license },
      },
      ...(PAGES && { externalDocs: PAGES }),
      servers: [{ url }],
      tags: [...described.flatMap(({ tags = [] }) => tags), ...collections.map(makeRecordTag)],
      paths: Object.assign({}, ...described.map(({ paths }) => paths?.(records))),
      webhooks: Object.assign({}, ...described.map(({ webhooks }) => webhooks?.(records))),
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    { override: ({ jsonSchema }) => tidySchema(jsonSchema) },
  )
  makeReadableForGenerators(document)
  return document
}

/** Removes needless parts that zod adds: `propertyNames`, and the bounds of safe integers. */
function tidySchema(schema: {
  propertyNames?: unknown
  minimum?: unknown
  maximum?: unknown
}): void {
  delete schema.propertyNames
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** `pocketsms openapi`: prints the API description without a server. `setting` may throw a UserError. */
export const makeOpenapiCommand = (setting: () => DocumentScope) =>
  defineCommand({
    args: { out: { type: 'string', description: 'write it to this file', valueHint: 'FILE' } },
    run({ args: { out } }) {
      const document = makeOpenApiDocument(setting())
      const text = `${JSON.stringify(document, null, 2)}\n`
      if (!out) {
        process.stdout.once('error', () => process.exit())
        process.stdout.write(text)
        return
      }
      try {
        writeFileSync(out, text)
      } catch (error) {
        throw new UserError(`${out} cannot be written: ${(error as Error).message}`)
      }
    },
  })

type Part = Record<string, unknown>

/** Members of a schema that describe the schema, not its values. */
const ABOUT = new Set(['description', 'default', 'examples', 'deprecated', 'title', 'id'])

/**
 * Changes an OpenAPI document so that generators of clients read it. It still allows each request and answer
 * that it allowed before.
 */
export function makeReadableForGenerators(document: object): void {
  const left: unknown[] = [document]
  while (left.length > 0) {
    const part = left.pop()
    if (typeof part !== 'object' || part === null) continue
    if (!Array.isArray(part)) for (const change of CHANGES) change(part as Part)
    left.push(...Object.values(part))
  }
}

/** By what generators cannot read. */
const CHANGES: readonly ((part: Part) => void)[] = [
  splitTypes,
  addSchemas,
  writeConstantsAsEnums,
  typeIntegers,
  mergeNames,
  allowNoBody,
]

const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** oapi-codegen refuses a `type` of several names. */
function splitTypes(schema: Part): void {
  const { type, anyOf } = schema
  if (!Array.isArray(type) || anyOf !== undefined) return
  const own = Object.entries(schema).filter(([key]) => key !== 'type' && !ABOUT.has(key))
  for (const key of ['type', ...own.map(([name]) => name)]) delete schema[key]
  schema.anyOf = type.map((one) =>
    one === 'null' ? { type: one } : { type: one, ...Object.fromEntries(own) },
  )
}

/** Generators of Python leave out operations whose content has no schema. */
function addSchemas({ content }: Part): void {
  if (!isPart(content)) return
  for (const [type, media] of Object.entries(content))
    if (/^[\w*]+\/[\w.*+-]+/.test(type) && isPart(media))
      media.schema ??= type.startsWith('text/') ? { type: 'string' } : {}
}

/** orval writes a value, not a type, for an object that has nothing but constants: broken for an open one. */
function writeConstantsAsEnums({ properties, additionalProperties }: Part): void {
  if (!isPart(properties) || !additionalProperties) return
  const values = Object.values(properties)
  if (!values.every((value) => isPart(value) && 'const' in value)) return
  for (const value of values as Part[]) {
    value.enum = [value.const]
    delete value.const
  }
}

/** OpenAPI Generator's Java cannot make a constant of the type `number`. */
function typeIntegers(schema: Part): void {
  if (schema.type === 'number' && Number.isInteger(schema.const)) schema.type = 'integer'
}

/** Names that differ in case alone, such as PocketBase's `authURL` and `authUrl`, are one method in PHP. */
function mergeNames(schema: Part): void {
  const { properties, required } = schema
  if (!isPart(properties)) return
  const names = Object.keys(properties)
  const known = new Set<string>()
  const repeated = names.filter((name) => known.size === known.add(name.toLowerCase()).size)
  if (repeated.length === 0) return
  for (const name of repeated) delete properties[name]
  if (Array.isArray(required)) schema.required = required.filter((name) => !repeated.includes(name))
  delete schema.additionalProperties
}

/** openapi-python-client lacks an import for a demanded body of several types that may hold anything. */
function allowNoBody({ requestBody }: Part): void {
  if (!isPart(requestBody) || !isPart(requestBody.content)) return
  const media = Object.values(requestBody.content) as Part[]
  const isAny = ({ schema }: Part) => isPart(schema ?? {}) && Object.keys(schema ?? {}).length === 0
  if (media.length > 1 && media.every(isAny)) requestBody.required = false
}
