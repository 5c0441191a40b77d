import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { PREVIEW_TEMPLATE, PREVIEW_TEXT, SEND, TEMPLATE_SEND } from '../../sms/send/body.ts'
import { PREVIEW } from '../../sms/send/preview.ts'
import type { RefusalCode } from '../../sms/send/refusal.ts'
import { ACCEPTED } from '../../sms/send/send.ts'
import { USAGE } from '../../sms/usage/quota.ts'
import { USAGE_DAYS } from '../../sms/usage/usage-days.ts'
import { type Answers, answers, json, success } from '../schemas/answers.ts'
import { orTemplateFault, refusals } from '../schemas/refusals.ts'
import { SENDER } from '../schemas/security.ts'

/** The chapter of the description. */
export const SENDING = 'sending'

export const IDEMPOTENCY = z.object({
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

const SHAPE: readonly RefusalCode[] = [
  'invalid_request',
  'invalid_phone_number',
  'body_too_long',
  'too_many_recipients',
]
const SEND_REFUSALS: readonly RefusalCode[] = [
  ...SHAPE,
  'unauthorized',
  'quota_exceeded',
  'forbidden',
  'device_not_found',
  'line_not_found',
  'line_ambiguous',
  'group_not_found',
  'idempotency_key_in_use',
  'request_too_large',
  'idempotency_key_reused',
  'client_ref_reused',
  'no_devices',
]

/** What is said of each of these operations. */
export const common = (operationId: string, summary: string, description = summary) => ({
  operationId,
  tags: [SENDING],
  summary,
  description,
  security: SENDER,
})

export const ACCEPTED_EXAMPLE = {
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

/** A preview may be asked for nobody. */
const PREVIEW_BODY = z.union([PREVIEW_TEXT, PREVIEW_TEMPLATE])

/** `/api/sms`: what a web app asks of the gateway before and while it sends. */
export const smsPaths = (): ZodOpenApiPathsObject => ({
  '/api/sms/send': {
    post: sendOperation(
      common(
        'send',
        'Send a text',
        'Sends one text to many. Name `recipients`, `group_ids` or both. All messages of a request are stored, or none. A variable without a value is a 400 with only a `message`.',
      ),
      SEND,
      TEXT_EXAMPLE,
      orTemplateFault(refusals(...SEND_REFUSALS)),
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
})
