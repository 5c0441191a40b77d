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

/** What a schema says about itself, not about its values. */
const ABOUT = new Set(['description', 'default', 'examples', 'deprecated', 'title', 'id'])

/**
 * Changes an OpenAPI document so that generators of clients read it, with the same meaning. oapi-codegen
 * refuses a `type` of several names, which becomes `anyOf`. Generators of Python leave out operations whose
 * content has no schema: it gets one that allows everything.
 */
export function makeReadableForGenerators(document: object): void {
  const left: unknown[] = [document]
  while (left.length > 0) {
    const part = left.pop()
    if (typeof part !== 'object' || part === null) continue
    if (!Array.isArray(part)) {
      splitTypes(part as Part)
      addSchemas(part as Part)
    }
    left.push(...Object.values(part))
  }
}

function splitTypes(schema: Part): void {
  const { type, anyOf } = schema
  if (!Array.isArray(type) || anyOf !== undefined) return
  const own = Object.entries(schema).filter(([key]) => key !== 'type' && !ABOUT.has(key))
  for (const key of ['type', ...own.map(([name]) => name)]) delete schema[key]
  schema.anyOf = type.map((one) =>
    one === 'null' ? { type: one } : { type: one, ...Object.fromEntries(own) },
  )
}

/** Gives a schema to the media types of a `content` that have none. */
function addSchemas({ content }: Part): void {
  if (typeof content !== 'object' || content === null) return
  for (const [type, media] of Object.entries(content as Record<string, unknown>))
    if (/^[\w*]+\/[\w.*+-]+/.test(type) && typeof media === 'object' && media !== null)
      (media as Part).schema ??= type.startsWith('text/') ? { type: 'string' } : {}
}
