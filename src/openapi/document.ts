import type { z } from 'zod'
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import packageJson from '../../package.json' with { type: 'json' }
import { type Collection, SUPERUSERS } from '../collections/collection.ts'
import { builtInCollections } from '../collections/definition/built-in.ts'
import { systemCollections } from '../collections/definition/system.ts'
import type { Extensions } from '../records/extension.ts'
import { ACCOUNT, accountPaths } from './paths/account-paths.ts'
import { authPaths } from './paths/auth-paths.ts'
import { backupPaths } from './paths/backup-paths.ts'
import { campaignPaths } from './paths/campaign-paths.ts'
import { DEVICES, devicePaths } from './paths/device-paths.ts'
import { filePaths } from './paths/file-paths.ts'
import { logPaths } from './paths/log-paths.ts'
import { recordPaths, recordTag } from './paths/record-paths.ts'
import { sentPaths } from './paths/sent-paths.ts'
import { SERVER, serverPaths } from './paths/server-paths.ts'
import { SENDING, smsPaths } from './paths/sms-paths.ts'
import { userPaths } from './paths/user-paths.ts'
import { webhookPaths } from './paths/webhook-paths.ts'
import { hooks } from './schemas/hooks.ts'
import { recordSchemas } from './schemas/record-schema.ts'
import { SECURITY_SCHEMES } from './schemas/security.ts'

/** An OpenAPI document, as an object that JSON can hold. */
export type OpenApiDocument = ReturnType<typeof createDocument>

const DESCRIPTION = `An SMS gateway that you run yourself. A web app sends with one POST; texts go out through your own phones and modems; every message, contact,
template and device is a record that any PocketBase client lists, filters and edits.

**Sign in** with \`POST /api/collections/users/auth-with-password\` and send the token as \`Authorization: Bearer TOKEN\`. For sending alone, create a record of
\`api_keys\` and send its key as \`X-API-Key\`.

**Errors** of \`/api/sms\`, \`/api/campaigns\`, \`/api/devices\` and \`/api/webhooks\` are \`{"error", "message"}\`: the first for programs, the second for people. Those of \`/2010-04-01\` are Twilio's. All others are PocketBase's
\`{"data", "message", "status"}\`.

**Dates** are UTC, as \`2026-11-20 07:00:00.000Z\`; empty when there is none.`

/** The collections that every server has and a client works with. */
export const describedCollections = (): Collection[] => [
  ...builtInCollections(),
  ...systemCollections().filter(({ name }) => name === SUPERUSERS),
]

/** What the document is about. */
export interface DocumentScope {
  /** Where the server is reached. */
  readonly url: string
  readonly collections: readonly Collection[]
  readonly extensions: Extensions
  readonly protocols: readonly DescribedProtocol[]
}

/** What a protocol of others says of its routes. */
export interface DescribedProtocol {
  readonly tags?: readonly { readonly name: string; readonly description: string }[]
  readonly paths?: () => ZodOpenApiPathsObject
}

/** The whole API as an OpenAPI 3.1 document, made from the schemas that check requests and type answers. */
export function openApiDocument({ url, collections, extensions, protocols }: DocumentScope): OpenApiDocument {
  const schemaOf = recordSchemas(collections)
  const device = schemaOf('devices')!
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
      servers: [{ url }],
      tags: [
        { name: SENDING, description: 'For the web app that sends.' },
        { name: DEVICES, description: 'For the program on a phone or beside a modem.' },
        ...collections.map(recordTag),
        { name: ACCOUNT, description: 'For the account that asks, and before it has signed in.' },
        { name: SERVER, description: 'What is about no one collection.' },
        ...protocols.flatMap(({ tags = [] }) => tags),
      ],
      paths: {
        ...smsPaths(),
        ...sentPaths(),
        ...campaignPaths(),
        ...devicePaths(device),
        ...collectionPaths(collections, schemaOf, extensions),
        ...webhookPaths(),
        ...accountPaths(),
        ...userPaths(),
        ...serverPaths(),
        ...logPaths(),
        ...backupPaths(),
        ...filePaths(),
        ...Object.assign({}, ...protocols.map(({ paths }) => paths?.())),
      },
      webhooks: hooks(webhooks, schemaOf('sms_messages')!),
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    { override: ({ jsonSchema }) => tidy(jsonSchema) },
  )
}

/** Removes needless parts that zod adds: names are strings, the bounds of safe integers. */
function tidy(schema: { propertyNames?: unknown; minimum?: unknown; maximum?: unknown }): void {
  delete schema.propertyNames
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

function collectionPaths(
  collections: readonly Collection[],
  schemaOf: (id: string) => z.ZodObject | undefined,
  extensions: Extensions,
): ZodOpenApiPathsObject {
  const paths = collections.map((collection) => {
    const record = schemaOf(collection.id)!
    const signIn = collection.type === 'auth' ? authPaths(collection, record) : {}
    return { ...recordPaths(collection, record, extensions), ...signIn }
  })
  return Object.assign({}, ...paths)
}
