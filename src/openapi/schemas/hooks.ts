import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import type { Collection } from '../../collections/catalog.ts'
import { TIMEOUT_MS } from '../../webhooks/call-webhook.ts'
import { TEST_EVENT } from '../../webhooks/deliveries.ts'
import { DELAYS_SECONDS } from '../../webhooks/schedule.ts'
import { NOBODY } from './operations.ts'

/** When each event is sent. Default: the event's name. */
const SUMMARIES: Readonly<Record<string, string>> = {
  'message.sent': 'A device has sent a message',
  'message.delivered': 'A message has reached its recipient',
  'message.failed': 'A message has failed',
  'message.received': 'A device has received a text',
  [TEST_EVENT]: 'A test event, asked for by POST /api/webhooks/{id}/test',
}

const HEADERS = z.object({
  'webhook-id': z.string().describe('Names the event: the same at every attempt. Skip what you have seen.'),
  'webhook-timestamp': z
    .string()
    .describe('Seconds since 1970 of this attempt. Refuse what is older than 5 minutes.'),
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
    url: z.url().describe('Gets the file without other credentials, for 7 days. Keep it secret.'),
  }),
)

/** Webhook calls by event (Standard Webhooks). `message`: the schema of `sms_messages`. */
export function hooks(webhooks: Collection, message: z.ZodObject): ZodOpenApiPathsObject {
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
