import { listDescribedCollections } from '../src/http/openapi/described-collections.ts'
import { makeOpenApiDocument } from '../src/http/openapi/document.ts'
import { DESCRIBED } from '../src/main/api-description.ts'
import { BUILT_IN } from '../src/main/collection-definitions.ts'
import { collectExtensions } from '../src/main/features.ts'
import { readConfig } from '../src/platform/config.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
}

const MAX_COLUMNS = 100
const HEAD = `// Types for programs that use a server by the pocketbase package:
//   import type { SmsMessage, WebhookEvent } from 'pocketsms/types'
//   pb.collection<SmsMessage>('sms_messages').getList(1, 30)
`
/** Requests and answers of the send API, which have the same names there. */
const SENDS = [
  'Send',
  'TemplateSend',
  'Accepted',
  'BatchStatus',
  'PreviewBody',
  'Preview',
  'SentTexts',
  'Canceled',
  'CanceledBatch',
  'AccountUsage',
  'VerificationStart',
  'VerificationCheck',
  'VerificationCancel',
  'Verification',
]

/** Declarations of records, of webhooks' bodies, and of what a send takes and answers. */
export const typesOf = (): string => declareTypes(HEAD, isRecord)

/** Of these declarations those that the clients of this repository use. */
export const typesOfClient = (): string =>
  declareTypes('// Written by `npm run schema`.\n', (name) => name === 'SmsMessagesRecord')

const isRecord = (name: string) => name.endsWith('Record')

/** Declares the records that are wanted, what they refer to, sends, and webhooks' bodies. */
function declareTypes(head: string, isWanted: (schema: string) => boolean): string {
  const config = readConfig({})
  const { components, webhooks } = makeOpenApiDocument({
    url: config.publicUrl,
    collections: listDescribedCollections(BUILT_IN),
    extensions: collectExtensions(config),
    described: DESCRIBED,
  })
  const schemas = components!.schemas as Record<string, Schema>
  const names = [...Object.keys(schemas).filter(isWanted), ...SENDS]
  const needed = new Set(names)
  // a Set also visits what is added meanwhile
  for (const name of needed) for (const ref of refsIn(schemas[name])) needed.add(ref)
  const events = Object.values(webhooks ?? {}).map((item) => {
    const { content } = (
      item as { post: { requestBody: { content: Record<string, { schema: Schema }> } } }
    ).post.requestBody
    return typeOf(content['application/json']!.schema)
  })
  const interfaces = [...needed].map((name) => {
    const made = typeOf(schemas[name]!)
    return made.startsWith('{')
      ? `export interface ${nameOf(name)} ${made}`
      : `export type ${nameOf(name)} = ${made}`
  })
  const union = `/** The body of a webhook's call. */\nexport type WebhookEvent =\n  | ${events.join('\n  | ')}`
  return `${[head, ...interfaces, union].join('\n\n')}\n`
}

const refsIn = (schema: unknown) =>
  [...JSON.stringify(schema).matchAll(/"\$ref":"[^"]*\/(\w+)"/g)].map(([, name]) => name!)

/** `SmsMessage` for `SmsMessagesRecord`, `SmsUsage` for `SmsUsageRecord`. */
function nameOf(schema: string): string {
  const plural = schema.replace(/Record$/, '')
  if (plural === schema || plural === 'UserSettings') return schema.replace(/Record$/, '')
  return plural.replace(/ies$/, 'y').replace(/s$/, '')
}

function typeOf(schema: Schema): string {
  const { $ref, type, items, properties, additionalProperties } = schema
  if ($ref) return nameOf($ref.split('/').pop()!)
  const several = schema.anyOf ?? schema.oneOf
  if (several) return several.map(typeOf).join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(' | ')
  if (type === 'array') return `readonly (${items ? typeOf(items) : 'unknown'})[]`
  if (type === 'integer') return 'number'
  if (type !== 'object') return (type as string | undefined) ?? 'unknown'
  if (!properties) {
    const values =
      typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'
    return `Readonly<Record<string, ${values}>>`
  }
  const lines = Object.entries(properties).map(([name, property]) => {
    const comment = property.description ? `${wrapComment(property.description)}\n` : ''
    const mark = schema.required?.includes(name) ? '' : '?'
    return `${comment}readonly ${JSON.stringify(name)}${mark}: ${typeOf(property)}`
  })
  return `{\n${lines.join('\n')}\n}`
}

/** A doc comment, on several lines if the text is long. */
function wrapComment(text: string): string {
  const lines = ['']
  for (const word of text.replaceAll('*/', '* /').split(/\s+/)) {
    const last = lines.length - 1
    if (`${lines[last]} ${word}`.length > MAX_COLUMNS - 3) lines.push(` ${word}`)
    else lines[last] += ` ${word}`
  }
  return lines.length === 1
    ? `/**${lines[0]} */`
    : `/**\n${lines.map((line) => ` *${line}\n`).join('')} */`
}
