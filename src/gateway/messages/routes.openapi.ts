import { z } from 'zod'
import { chapter, SENDING } from '../../http/openapi/operations.ts'
import { SENDER } from '../../http/openapi/security.ts'
import { json } from '../../http/openapi/success-answers.ts'
import { describeRefusals } from '../base/describe-refusals.ts'
import { ACCOUNT_USAGE } from '../base/quota.ts'
import type { RefusalCode } from '../base/refusals.ts'
import { LINE_COSTS } from '../lines/line-costs.ts'
import { BATCH } from './queue/batch.ts'
import { CANCELED, CANCELED_BATCH } from './queue/cancel.ts'
import { CHANGED, MESSAGE_CHANGE } from './queue/change.ts'
import { RESCHEDULE, RESCHEDULED_BATCH } from './queue/reschedule.ts'
import { RETRIED_BATCH, RETRY_BATCH, RETRY_MESSAGE } from './queue/retry-body.ts'
import { PREVIEW_TEMPLATE, PREVIEW_TEXT, SEND, TEMPLATE_SEND } from './send/body-schema.ts'
import { PREVIEW } from './send/preview.ts'
import { ACCEPTED } from './send/send.ts'
import { sentTextOperations } from './sent-texts-routes.ts'
import { USAGE_DAYS } from './usage-days.ts'

export const IDEMPOTENCY = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'A name of yours for this request. Within 24 hours the same one gets the first answer, and nothing is sent twice.',
    ),
})
const REPLAYED = z.object({
  'Idempotent-Replayed': z.enum(['true']).optional().describe('The answer is that of an earlier request.'),
})

export const SHAPE: readonly RefusalCode[] = ['invalid_phone_number', 'body_too_long', 'too_many_recipients']
/** How the judge refuses a text that a sender may not change. */
const OUT_OF_BOUNDS: readonly RefusalCode[] = [
  'destination_not_allowed',
  'line_not_allowed',
  'owned_by_campaign',
]
const SEND_REFUSALS: readonly RefusalCode[] = [
  ...SHAPE,
  'invalid_template',
  'quota_exceeded',
  'destination_not_allowed',
  'device_not_found',
  'line_not_found',
  'line_ambiguous',
  'line_not_allowed',
  'group_not_found',
  'idempotency_key_reused',
  'client_ref_reused',
  'no_devices',
]

const sent = () => ({
  refuses: describeRefusals(...SEND_REFUSALS),
  responses: {
    200: {
      description: 'Stored: all messages of the request.',
      content: json(ACCEPTED),
      headers: REPLAYED,
    },
  },
})

const TEXT_EXAMPLE = { recipients: ['+4915112345678'], body: 'Your parcel arrives tomorrow.' }
const TEMPLATE_EXAMPLE = {
  recipients: ['+4915112345678'],
  template_id: 'k3v9x0c2m5n8b1a',
  variables: { code: '4711' },
}

export const smsPaths = (message: z.ZodObject) =>
  chapter(SENDING, SENDER, {
    ...sentTextOperations(message),
    'POST /api/sms/send': {
      id: 'send',
      summary: 'Send a text',
      description:
        'Sends one text to many. Name `recipients`, `group_ids` or both. All messages of a request are stored, or none.',
      params: { header: IDEMPOTENCY },
      body: [SEND, TEXT_EXAMPLE],
      ...sent(),
    },
    'POST /api/sms/send-template': {
      id: 'sendTemplate',
      summary: 'Send a template',
      description: 'Sends each recipient an individual text, made from a template.',
      params: { header: IDEMPOTENCY },
      body: [TEMPLATE_SEND, TEMPLATE_EXAMPLE],
      ...sent(),
    },
    'POST /api/sms/preview': {
      id: 'preview',
      summary: 'Preview a send',
      description: 'Accepts the body of either send; recipients are optional. Nothing is stored.',
      body: [z.union([PREVIEW_TEXT, PREVIEW_TEMPLATE]), TEXT_EXAMPLE],
      answer: ['The texts, and what it takes to send them.', PREVIEW],
      refuses: describeRefusals(
        ...SHAPE,
        'invalid_template',
        'destination_not_allowed',
        'line_not_allowed',
        'group_not_found',
      ),
    },
    'GET /api/sms/usage': {
      id: 'readUsage',
      summary: 'Read the month so far',
      answer: ['The calendar month, in UTC, and files.', ACCOUNT_USAGE],
      refuses: [],
    },
    'GET /api/sms/usage/days': {
      id: 'readUsageDays',
      summary: 'Count messages by day and status',
      description:
        'Messages accepted or received on each of the last days up to today, by their present status. A user gets their own, by days of the time zone of the account; a superuser gets those of all users, in UTC.',
      params: {
        query: z.object({ days: z.coerce.number().int().min(1).max(366).optional().describe('Default 30.') }),
      },
      answer: ['Each day, oldest first.', USAGE_DAYS],
      refuses: describeRefusals('invalid_request'),
    },
    'GET /api/sms/usage/lines': {
      id: 'readLineCosts',
      summary: 'Read what the texts of each line cost by month',
      description:
        'The lines with prices, and the months of the last year in which they sent a text. An API key needs the scope `devices:list`.',
      answer: ['Each month, newest first.', LINE_COSTS],
      refuses: [],
    },
    'GET /api/sms/batches/{batch_id}': {
      id: 'readBatch',
      summary: 'Count the messages of a send by status',
      answer: ['The counts.', BATCH],
      refuses: describeRefusals('batch_not_found'),
    },
    'POST /api/sms/batches/{batch_id}/cancel': {
      id: 'cancelBatch',
      summary: 'Cancel the remaining messages of a send',
      description:
        'Ends all messages of a send that no device has claimed; the quota is refunded. Repeating it is no error. A campaign is canceled by `/api/campaigns`.',
      answer: ['What was canceled, and how all messages of the send are now.', CANCELED_BATCH],
      refuses: describeRefusals('batch_not_found', ...OUT_OF_BOUNDS),
    },
    'POST /api/sms/batches/{batch_id}/reschedule': {
      id: 'rescheduleBatch',
      summary: 'Reschedule the remaining messages of a send',
      description:
        'Changes the time of all messages of a send that are still `pending`. Their end stays unchanged unless you set it, and must be after the new time; otherwise nothing is changed. An earlier end also needs the scope `messages:cancel`. Members with the role agent may change 20 messages at once. Repeating it is no error.',
      body: [RESCHEDULE, { scheduled_at: '2026-11-21T08:00:00Z' }],
      answer: ['What was changed, and how all messages of the send are now.', RESCHEDULED_BATCH],
      refuses: describeRefusals('batch_not_found', 'too_many_recipients', ...OUT_OF_BOUNDS),
    },
    'POST /api/sms/batches/{batch_id}/retry': {
      id: 'retryBatch',
      summary: 'Send the failed messages of a send again',
      description:
        'Sends new messages with the same texts to the same numbers, by any device. They count in the quota, and have a new batch_id. A repeated request returns the same new messages, and sends those that could not be sent before.',
      requestBody: { required: false, content: json(RETRY_BATCH, { include: ['unknown'] }) },
      answer: ['The new messages.', RETRIED_BATCH],
      refuses: describeRefusals(
        'quota_exceeded',
        'batch_not_found',
        'no_devices',
        'too_many_recipients',
        ...OUT_OF_BOUNDS,
      ),
    },
    'PATCH /api/sms/messages/{id}': {
      id: 'changeMessage',
      summary: 'Change a scheduled message',
      description:
        'Changes the given fields of a message that is still `pending`. The end must be after the time. The message stays counted in the month in which it was accepted. An API key changes only texts that it could send: to its destinations, by its lines. An earlier end also needs the scope `messages:cancel`. Repeating the request changes nothing.',
      body: [MESSAGE_CHANGE, { scheduled_at: '2026-11-21T08:00:00Z', body: 'See you at nine' }],
      answer: ['How it is now.', CHANGED],
      refuses: describeRefusals('body_too_long', 'message_not_found', 'not_changeable', ...OUT_OF_BOUNDS),
    },
    'POST /api/sms/messages/{id}/retry': {
      id: 'retryMessage',
      summary: 'Send a failed message once more',
      description:
        'Sends a new message with the same text to the same number, by any device or by the one that you name. It counts against the quota. If you repeat the request, the server returns the same new message.',
      requestBody: { required: false, content: json(RETRY_MESSAGE, {}) },
      answer: ['The new message.', ACCEPTED],
      refuses: describeRefusals(
        ...OUT_OF_BOUNDS,
        'quota_exceeded',
        'message_not_found',
        'not_retriable',
        'client_ref_reused',
        'device_not_found',
        'no_devices',
      ),
    },
    'POST /api/sms/messages/{id}/cancel': {
      id: 'cancelMessage',
      summary: 'Cancel a message',
      description:
        'Ends a message that no device has claimed; the quota is refunded. Repeating it is no error.',
      answer: ['It will not be sent.', CANCELED],
      refuses: describeRefusals('message_not_found', 'not_cancelable', ...OUT_OF_BOUNDS),
    },
  })
