import { writeFileSync } from 'node:fs'
import { defineCommand } from 'citty'
import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import packageJson from '../../package.json' with { type: 'json' }
import { type Collection, SUPERUSERS } from '../collections/catalog.ts'
import { builtInCollections, systemCollections } from '../collections/definition/built-in.ts'
import { UserError } from '../errors.ts'
import type { Extensions } from '../records/collection-extension.ts'
import { TIMEOUT_MS } from '../webhooks/call-webhook.ts'
import { DELAYS_SECONDS } from '../webhooks/retry-delay.ts'
import { TEST_EVENT } from '../webhooks/send-test.ts'
import { type RecordSchemas, recordSchemas, recordTag } from './record-schema.ts'
import { NOBODY, SECURITY_SCHEMES } from './security.ts'

/** The pages about the product, once a release has named the repository in package.json. */
const homepage = 'homepage' in packageJson ? String(packageJson.homepage) : ''
const PAGES = homepage !== '' && { description: 'Guides', url: `${homepage}/tree/main/docs#readme` }

/** When each webhook event is sent. Events that are missing here have only their name. */
const SUMMARIES: Readonly<Record<string, string>> = {
  'message.sent': 'A device has sent a message',
  'message.delivered': 'A message has reached its recipient',
  'message.failed': 'A message has failed',
  'message.received': 'A device has received a text',
  [TEST_EVENT]: 'A test event, asked for by POST /api/webhooks/{id}/test',
}

const HEADERS = z.object({
  'webhook-id': z
    .string()
    .describe(
      'Identifies the event: the same at every attempt. Ignore an event that you have already processed.',
    ),
  'webhook-timestamp': z
    .string()
    .describe('The time of this attempt, in seconds since 1970. Refuse calls older than 5 minutes.'),
  'webhook-signature': z
    .string()
    .describe(
      '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64, under the secret; two of them, with a space between, for a day after the secret was changed.',
    ),
})

const FILES = z.array(
  z.object({
    name: z.string(),
    type: z.string().describe('The media type of the content.'),
    size: z.int().describe('Bytes.'),
    url: z.url().describe('Gets the file without other credentials, for 10 days. Keep it secret.'),
  }),
)

/** Describes webhook calls by event (Standard Webhooks). `message`: the schema of `sms_messages`. */
function hooks(webhooks: Collection, message: z.ZodObject): ZodOpenApiPathsObject {
  const events = webhooks.fields.flatMap((field) =>
    field.type === 'select' && field.name === 'events' ? field.values : [],
  )
  return Object.fromEntries([...events, TEST_EVENT].map((event) => [event, { post: hook(event, message) }]))
}

function hook(event: string, message: z.ZodObject): ZodOpenApiOperationObject {
  const body = z.object({
    type: z.literal(event),
    timestamp: z.string().meta({ format: 'date-time', description: 'When it happened.' }),
    data: message.describe('The message, as it was then.'),
    ...(event === 'message.received' && { files: FILES.optional().describe('Of an MMS with files.') }),
  })
  return {
    operationId: `on ${event}`.replace(/[ .]+(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ['webhooks'],
    summary: SUMMARIES[event] ?? event,
    description: `Answer with 2xx within ${TIMEOUT_MS / 1000} seconds. Anything else is tried again, up to ${DELAYS_SECONDS.length + 1} times in all.`,
    security: NOBODY,
    requestParams: { header: HEADERS },
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      '2XX': { description: 'Taken.' },
      410: { description: 'Never again: the webhook is disabled.' },
    },
  }
}

const DESCRIPTION = `An SMS gateway that you run yourself. A web app sends with one POST; texts go out through your own phones and modems; every message, contact,
template and device is a record that any PocketBase client lists, filters and edits.

**Sign in** with \`POST /api/collections/users/auth-with-password\` and send the token as \`Authorization: Bearer TOKEN\`. For sending alone, create a record of
\`api_keys\` and send its key as \`X-API-Key\`.

**Errors** of \`/api/sms\`, \`/api/verify\`, \`/api/campaigns\`, \`/api/devices\` and \`/api/webhooks\` are \`{"error", "message"}\`: the first for programs, the second for people. Those of \`/2010-04-01\` are Twilio's, those of doors their own. All others are PocketBase's
\`{"data", "message", "status"}\`.

**Dates** are UTC, as \`2026-11-20 07:00:00.000Z\`; empty when there is none.`

export const describedCollections = (): Collection[] => [
  ...builtInCollections(),
  ...systemCollections().filter(({ name }) => name === SUPERUSERS),
]

interface DocumentScope {
  readonly url: string
  readonly collections: readonly Collection[]
  readonly extensions: Extensions
  readonly described: readonly DescribedRoutes[]
}

export interface DescribedRoutes {
  readonly tags?: readonly { readonly name: string; readonly description: string }[]
  readonly paths?: (records: DescribedRecords) => ZodOpenApiPathsObject
}

export interface DescribedRecords extends Pick<DocumentScope, 'collections' | 'extensions'> {
  readonly schemaOf: RecordSchemas
}

/** The whole API as an OpenAPI 3.1 document, made from the schemas that check requests and type answers. */
export function openApiDocument({ url, collections, extensions, described }: DocumentScope) {
  const schemaOf = recordSchemas(collections)
  const all = described.map(({ paths }) => paths?.({ collections, schemaOf, extensions }))
  const webhooks = collections.find(({ id }) => id === 'webhooks')!
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'pocketsms',
        version: packageJson.version,
        description: DESCRIPTION,
        license: { name: packageJson.license, identifier: packageJson.license },
      },
      ...(PAGES && { externalDocs: PAGES }),
      servers: [{ url }],
      tags: [...described.flatMap(({ tags = [] }) => tags), ...collections.map(recordTag)],
      paths: Object.assign({}, ...all),
      webhooks: hooks(webhooks, schemaOf('sms_messages')!),
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    { override: ({ jsonSchema }) => tidy(jsonSchema) },
  )
}

/** Removes needless parts that zod adds: `propertyNames`, and the bounds of safe integers. */
function tidy(schema: { propertyNames?: unknown; minimum?: unknown; maximum?: unknown }): void {
  delete schema.propertyNames
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** `pocketsms openapi`: prints the API description without a server. `setting` may throw a UserError. */
export const openapiCommand = (setting: () => Omit<DocumentScope, 'collections'>) =>
  defineCommand({
    meta: { name: 'openapi', description: 'Print the API as an OpenAPI 3.1 document (JSON).' },
    args: { out: { type: 'string', description: 'write it to this file', valueHint: 'FILE' } },
    run({ args: { out } }) {
      const document = openApiDocument({ ...setting(), collections: describedCollections() })
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
