import { Hono } from 'hono'
import { z } from 'zod'
import { admission } from '../../admission/admission.ts'
import { userHolder } from '../../collections/catalog.ts'
import { chapter, json, SENDER, SENDING } from '../../openapi/operations.ts'
import {
  PREVIEW_TEMPLATE,
  PREVIEW_TEXT,
  readPreview,
  readSend,
  SEND,
  TEMPLATE_SEND,
} from '../../sms/send/body.ts'
import { readIdempotency } from '../../sms/send/idempotency.ts'
import { PREVIEW, previewSend } from '../../sms/send/preview.ts'
import { ACCEPTED, send } from '../../sms/send/send.ts'
import type { RefusalCode } from '../../sms/send/shape.ts'
import { ACCOUNT_USAGE, readAccountUsage } from '../../sms/usage/quota.ts'
import { countDays, readDays, USAGE_DAYS } from '../../sms/usage/usage-days.ts'
import { readJson } from '../body/raw-body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { READS, requireReader, requireSender, withSender } from '../middleware/sender.ts'
import { queryOf } from '../query.ts'
import { sendRaw } from '../request-info.ts'

/** Room for 100,000 recipients. */
const MAX_BODY_BYTES = 4 << 20

/** `/api/sms`: sends and statistics, by API key or session. Errors are `{"error","message"}`. */
export function smsRoutes(services: Services): Hono<Env> {
  const { config } = services
  return new Hono<Env>()
    .post('/send', sendFrom(services, SEND))
    .post('/send-template', sendFrom(services, TEMPLATE_SEND))
    .post('/preview', async (c) => {
      const { user, store } = await requireSender(c, services, ['messages:send'])
      const body = readPreview(await readJson(c, MAX_BODY_BYTES), new Date())
      return admission.heavyWork.run(userHolder(user), async () =>
        sendRaw(c, JSON.stringify(await previewSend(store, config, user, body))),
      )
    })
    .get('/usage', async (c) => {
      const { user, store } = await requireSender(c, services, READS)
      return sendRaw(c, JSON.stringify(await readAccountUsage(store, user, config, new Date())))
    })
    .get('/usage/days', async (c) => {
      const days = readDays(queryOf(c).days)
      const { user, store } = await requireReader(c, services)
      return sendRaw(c, JSON.stringify(await countDays(store, user, days, new Date())))
    })
}

/** Sends a text or a template. Checks credentials before it reads the body, which `adapt` may change. */
export const sendFrom =
  (services: Services, schema: typeof SEND | typeof TEMPLATE_SEND, adapt?: (json: unknown) => unknown) =>
  (c: Ctx) => {
    // read once, also if stale credentials repeat the work
    let raw: Promise<unknown> | undefined
    return withSender(c, services, async (sender) => {
      raw ??= readJson(c, MAX_BODY_BYTES)
      const json = adapt ? adapt(await raw) : await raw
      const body = readSend(schema, json, new Date())
      const key = c.req.header('idempotency-key')
      const idempotency = key === undefined ? null : readIdempotency(key, c.req.path, json)
      const sending = { ...services.sending, store: sender.store }
      const { answer, replayed } = await send(sending, sender, body, idempotency)
      if (replayed) {
        c.header('Idempotent-Replayed', 'true')
        // lets pages of other origins read the header
        c.header('Access-Control-Expose-Headers', 'Idempotent-Replayed')
      }
      return sendRaw(c, answer)
    })
  }

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
const SEND_REFUSALS: readonly RefusalCode[] = [
  ...SHAPE,
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
  hasTemplate: true,
  refuses: SEND_REFUSALS,
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

const PREVIEW_BODY = z.union([PREVIEW_TEXT, PREVIEW_TEMPLATE])

export const smsPaths = () =>
  chapter(SENDING, SENDER, {
    'POST /api/sms/send': {
      id: 'send',
      summary: 'Send a text',
      description:
        'Sends one text to many. Name `recipients`, `group_ids` or both. All messages of a request are stored, or none. A variable without a value is a 400 with only a `message`.',
      params: { header: IDEMPOTENCY },
      body: [SEND, TEXT_EXAMPLE],
      ...sent(),
    },
    'POST /api/sms/send-template': {
      id: 'sendTemplate',
      summary: 'Send a template',
      description:
        'Sends each recipient a text of their own, made from a template. What is wrong with the template is a 400 with only a `message`.',
      params: { header: IDEMPOTENCY },
      body: [TEMPLATE_SEND, TEMPLATE_EXAMPLE],
      ...sent(),
    },
    'POST /api/sms/preview': {
      id: 'preview',
      summary: 'See what a send would send',
      description: 'Takes the body of either send; recipients may be left out. Nothing is stored.',
      body: [PREVIEW_BODY, TEXT_EXAMPLE],
      answer: ['The texts, and what it takes to send them.', PREVIEW],
      hasTemplate: true,
      refuses: [...SHAPE, 'destination_not_allowed', 'group_not_found'],
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
        'The last days up to today, in the time zone of the account: messages accepted or received on each, by the status they have now. Of the user who asks; of all, in UTC, for superusers.',
      params: {
        query: z.object({ days: z.coerce.number().int().min(1).max(366).optional().describe('Default 30.') }),
      },
      answer: ['Each day, oldest first.', USAGE_DAYS],
      refuses: ['invalid_request'],
    },
  })
