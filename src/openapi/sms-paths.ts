import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { BATCH } from '../sms/batches.ts'
import { SEND, TEMPLATE_SEND } from '../sms/body.ts'
import { CANCELED } from '../sms/cancel.ts'
import { CANCELED_BATCH } from '../sms/cancel-batch.ts'
import { PREVIEW } from '../sms/preview.ts'
import { USAGE } from '../sms/quota.ts'
import type { Refusal } from '../sms/refusal.ts'
import { RETRIED_BATCH, RETRY_BATCH } from '../sms/retry-batch.ts'
import { ACCEPTED } from '../sms/send.ts'
import { USAGE_DAYS } from '../sms/usage-days.ts'
import { type Answers, answers, json, success } from './answers.ts'
import { orTemplateFault, refusals } from './refusals.ts'
import { SENDER } from './security.ts'

/** The chapter of the description. */
export const SENDING = 'sending'

const IDEMPOTENCY = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().meta({
    description:
      'A name of yours for this request. Within 24 hours the same one gets the first answer, and nothing is sent twice.',
  }),
})
const REPLAYED = z.object({
  'Idempotent-Replayed': z
    .enum(['true'])
    .optional()
    .meta({ description: 'The answer is that of an earlier request.' }),
})

const SHAPE: readonly Refusal[] = [
  'invalid_request',
  'invalid_phone_number',
  'body_too_long',
  'too_many_recipients',
]
const SEND_REFUSALS: readonly Refusal[] = [
  ...SHAPE,
  'unauthorized',
  'quota_exceeded',
  'forbidden',
  'device_not_found',
  'group_not_found',
  'idempotency_key_in_use',
  'request_too_large',
  'idempotency_key_reused',
  'no_devices',
]

const common = (operationId: string, summary: string, description = summary) => ({
  operationId,
  tags: [SENDING],
  summary,
  description,
  security: SENDER,
})

const ACCEPTED_EXAMPLE = {
  batch_id: '',
  message_ids: ['k3v9x0c2m5n8b1a'],
  recipients_count: 1,
  status: 'accepted',
}

const sendOperation = (
  about: ReturnType<typeof common>,
  schema: z.ZodType,
  example: unknown,
  refused: Answers,
): ZodOpenApiOperationObject => {
  const accepted = success('Stored: all messages of the request.', ACCEPTED, ACCEPTED_EXAMPLE)
  return {
    ...about,
    requestParams: { header: IDEMPOTENCY },
    requestBody: { required: true, content: json(schema, example) },
    responses: answers({ 200: { ...accepted['200']!, headers: REPLAYED } }, refused),
  }
}

const TEXT_EXAMPLE = { recipients: ['+4915112345678'], body: 'Your parcel arrives tomorrow.' }
const TEMPLATE_EXAMPLE = {
  recipients: ['+4915112345678'],
  template_id: 'k3v9x0c2m5n8b1a',
  variables: { code: '4711' },
}

const BATCH_ID = z.object({ batch_id: z.string().meta({ description: 'Out of the answer to the send.' }) })
const MESSAGE = z.object({ id: z.string().meta({ description: 'A record of `sms_messages`.' }) })

/** A preview may be asked for nobody. */
const PREVIEW_BODY = z.union([SEND, TEMPLATE_SEND])

/** `/api/sms`: what a web app asks of the gateway. */
export const smsPaths = (): ZodOpenApiPathsObject => ({
  '/api/sms/send': {
    post: sendOperation(
      common(
        'send',
        'Send a text',
        'Sends one text to many. Name `recipients`, `group_ids` or both. All messages of a request are stored, or none.',
      ),
      SEND,
      TEXT_EXAMPLE,
      refusals(...SEND_REFUSALS),
    ),
  },
  '/api/sms/send-template': {
    post: sendOperation(
      common(
        'sendTemplate',
        'Send a template',
        'Sends each recipient a text of their own, made from a template. What is wrong with the template is a 400 with only a `message`.',
      ),
      TEMPLATE_SEND,
      TEMPLATE_EXAMPLE,
      orTemplateFault(refusals(...SEND_REFUSALS)),
    ),
  },
  '/api/sms/preview': {
    post: {
      ...common(
        'preview',
        'See what a send would send',
        'Takes the body of either send; recipients may be left out. Nothing is stored.',
      ),
      requestBody: { required: true, content: json(PREVIEW_BODY, TEXT_EXAMPLE) },
      responses: answers(
        success('The texts, and what it takes to send them.', PREVIEW),
        orTemplateFault(
          refusals(...SHAPE, 'unauthorized', 'forbidden', 'group_not_found', 'request_too_large'),
        ),
      ),
    },
  },
  '/api/sms/usage': {
    get: {
      ...common('readUsage', 'Read the month so far'),
      responses: answers(
        success('The calendar month, in UTC.', USAGE, {
          period: '2026-11',
          used: 12,
          quota: 0,
          remaining: null,
          resets_at: '2026-12-01 00:00:00.000Z',
        }),
        refusals('unauthorized', 'forbidden'),
      ),
    },
  },
  '/api/sms/usage/days': {
    get: {
      ...common(
        'readUsageDays',
        'Count messages by day and status',
        'The last days up to today, in UTC: messages accepted or received on each, by the status they have now. Of the user who asks; of all for superusers.',
      ),
      requestParams: {
        query: z.object({
          days: z.coerce.number().int().min(1).max(366).optional().meta({ description: 'Default 30.' }),
        }),
      },
      responses: answers(
        success('Each day, oldest first.', USAGE_DAYS, {
          days: [{ day: '2026-11-20', counts: { delivered: 12, failed: 1 } }],
        }),
        refusals('invalid_request', 'unauthorized', 'forbidden'),
      ),
    },
  },
  '/api/sms/batches/{batch_id}': {
    get: {
      ...common('readBatch', 'Count the messages of a send by status'),
      requestParams: { path: BATCH_ID },
      responses: answers(
        success('The counts.', BATCH),
        refusals('unauthorized', 'forbidden', 'batch_not_found'),
      ),
    },
  },
  '/api/sms/batches/{batch_id}/cancel': {
    post: {
      ...common(
        'cancelBatch',
        'Cancel what is left of a send',
        'Ends all messages of a send that no device has claimed; their units of the quota come back. Again is no error.',
      ),
      requestParams: { path: BATCH_ID },
      responses: answers(
        success('What was canceled, and how all messages of the send are now.', CANCELED_BATCH, {
          batch_id: 'q0w9e8r7t6y5u4i',
          recipients_count: 3,
          counts: { pending: 0, assigned: 0, sending: 1, sent: 0, delivered: 0, failed: 2 },
          canceled: 2,
        }),
        refusals('unauthorized', 'forbidden', 'batch_not_found'),
      ),
    },
  },
  '/api/sms/batches/{batch_id}/retry': {
    post: {
      ...common(
        'retryBatch',
        'Send what has failed of a send once more',
        'Sends new messages with the same texts to the same numbers, by any device. They count against the quota, and have a batch_id of their own. Asking again answers the same new messages, and sends what could not be sent before.',
      ),
      requestParams: { path: BATCH_ID },
      requestBody: { required: false, content: json(RETRY_BATCH, { include: ['unknown'] }) },
      responses: answers(
        success('The new messages.', RETRIED_BATCH, {
          batch_id: 'c0v9b8n7m6l5k4j',
          message_ids: ['k3v9x0c2m5n8b1a'],
          recipients_count: 1,
          left_out: { unknown: 1, canceled: 0, opted_out: 0, retried: 0, no_text: 0, refused: 0 },
        }),
        refusals(
          'invalid_request',
          'unauthorized',
          'quota_exceeded',
          'forbidden',
          'batch_not_found',
          'request_too_large',
          'no_devices',
        ),
      ),
    },
  },
  '/api/sms/messages/{id}/retry': {
    post: {
      ...common(
        'retryMessage',
        'Send a failed message once more',
        'Sends a new message with the same text to the same number, by any device. It counts against the quota. Asking again answers the same new message.',
      ),
      requestParams: { path: MESSAGE },
      responses: answers(
        success('The new message.', ACCEPTED, ACCEPTED_EXAMPLE),
        refusals(
          'unauthorized',
          'quota_exceeded',
          'forbidden',
          'message_not_found',
          'not_retriable',
          'no_devices',
        ),
      ),
    },
  },
  '/api/sms/messages/{id}/cancel': {
    post: {
      ...common(
        'cancelMessage',
        'Cancel a message',
        'Ends a message that no device has claimed; its unit of the quota comes back. Again is no error.',
      ),
      requestParams: { path: MESSAGE },
      responses: answers(
        success('It will not be sent.', CANCELED, {
          id: 'k3v9x0c2m5n8b1a',
          status: 'failed',
          error_message: 'Canceled',
        }),
        refusals('unauthorized', 'forbidden', 'message_not_found', 'not_cancelable'),
      ),
    },
  },
})
