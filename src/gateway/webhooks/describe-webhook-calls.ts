import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import type { DescribedRecords } from '../../http/openapi/document.ts'
import { SECURITY_REQUIREMENTS } from '../../http/openapi/security.ts'
import { TIMEOUT_MS } from './call-webhook.ts'
import { DELAYS_SECONDS } from './compute-retry-delay.ts'
import { AUDIT_EVENT } from './queue-audit-calls.ts'
import { TEST_EVENT } from './send-test-event.ts'

/** When each webhook event is sent. Events that are missing here have only their name. */
const SUMMARIES: Readonly<Record<string, string>> = {
  'message.sent': 'A device has sent a message',
  'message.delivered': 'A message has reached its recipient',
  'message.failed': 'A message has failed',
  'message.received': 'A device has received a text',
  [AUDIT_EVENT]: "An entry of the account's audit log has its number",
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
    .describe(
      'The time of this attempt, in seconds since 1970. Refuse calls older than 5 minutes.',
    ),
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

/** Not the tag of the collection: OpenAPI Generator writes a class for each tag of paths, and of webhooks. */
export const CALLS_TAG = 'events'

/** Describes webhook calls by event (Standard Webhooks). */
export function describeWebhookCalls({
  collections,
  schemaOf,
}: DescribedRecords): ZodOpenApiPathsObject {
  const { fields } = collections.find(({ id }) => id === 'webhooks')!
  const events = fields.flatMap((field) =>
    field.type === 'select' && field.name === 'events' ? field.values : [],
  )
  const message = schemaOf('sms_messages')!.describe('The message, as it was then.')
  const entry = schemaOf('account_audit')!
    .omit({ collectionId: true, collectionName: true })
    .extend(NUMBERED)
    .describe('The entry.')
  return Object.fromEntries(
    [...events, TEST_EVENT].map((event) => [
      event,
      { post: describeCall(event, event === AUDIT_EVENT ? entry : message) },
    ]),
  )
}

const NUMBERED = {
  number: z.int().describe("The entry's number in the log."),
}

function describeCall(event: string, data: z.ZodObject): ZodOpenApiOperationObject {
  const body = z.object({
    type: z.literal(event),
    timestamp: z.string().meta({ format: 'date-time', description: 'When it happened.' }),
    data,
    ...(event === 'message.received' && {
      files: FILES.optional().describe('Of an MMS with files.'),
    }),
  })
  return {
    operationId: `on ${event}`.replace(/[ .](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [CALLS_TAG],
    summary: SUMMARIES[event] ?? event,
    description: `Answer with 2xx within ${TIMEOUT_MS / 1000} seconds. Anything else is tried again, up to ${DELAYS_SECONDS.length + 1} times in all.`,
    security: SECURITY_REQUIREMENTS.none,
    requestParams: { header: HEADERS },
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      '2XX': { description: 'Taken.' },
      410: { description: 'Never again: the webhook is disabled.' },
    },
  }
}
