import { Hono } from 'hono'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { json, success } from '../../openapi/schemas/answers.ts'
import { SENDING } from '../../openapi/schemas/chapters.ts'
import { chapter } from '../../openapi/schemas/operations.ts'
import { callerRefusals } from '../../openapi/schemas/refusals.ts'
import { SENDER } from '../../openapi/schemas/security.ts'
import {
  BATCH,
  CANCELED,
  CANCELED_BATCH,
  cancelBatch,
  cancelMessage,
  countBatch,
} from '../../sms/edit/cancel.ts'
import {
  CHANGED,
  changeMessage,
  MESSAGE_CHANGE,
  RESCHEDULE,
  RESCHEDULED_BATCH,
  readChange,
  readReschedule,
  rescheduleBatch,
} from '../../sms/edit/change.ts'
import { RETRIED_BATCH, RETRY_BATCH, retryBatch, retryMessage } from '../../sms/edit/retry.ts'
import { ACCEPTED } from '../../sms/send/send.ts'
import { checkShape } from '../../sms/send/shape.ts'
import { readJson } from '../body/json-body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { READS, requireSender, withSender } from '../middleware/sender.ts'
import { sendRaw } from '../send-json.ts'

/** Room for 100,000 recipients. */
const MAX_BODY_BYTES = 4 << 20

export const hasBody = (c: Ctx) =>
  c.req.header('transfer-encoding') !== undefined || Number(c.req.header('content-length') ?? 0) > 0

/** `/api/sms/batches` and `/api/sms/messages`: what is done with what was sent. */
export function sentRoutes(services: Services): Hono<Env> {
  return new Hono<Env>()
    .get('/batches/:batch_id', async (c) => {
      const { user, store } = await requireSender(c, services, READS)
      return sendRaw(c, JSON.stringify(await countBatch(store, user, c.req.param('batch_id'))))
    })
    .post('/batches/:batch_id/cancel', async (c) => {
      const { user, store } = await requireSender(c, services, ['messages:cancel'])
      return sendRaw(c, JSON.stringify(await cancelBatch(store, user, c.req.param('batch_id'))))
    })
    .post('/batches/:batch_id/reschedule', async (c) => {
      const { user, store } = await requireSender(c, services, ['messages:send'])
      const change = readReschedule(await readJson(c, MAX_BODY_BYTES), new Date())
      return sendRaw(c, JSON.stringify(await rescheduleBatch(store, user, c.req.param('batch_id'), change)))
    })
    .post('/batches/:batch_id/retry', (c) => {
      let raw: Promise<unknown> | undefined
      return withSender(c, services, async (sender, sending) => {
        raw ??= hasBody(c) ? readJson(c, MAX_BODY_BYTES) : Promise.resolve({})
        const body = checkShape(RETRY_BATCH, await raw)
        return sendRaw(c, JSON.stringify(await retryBatch(sending, sender, c.req.param('batch_id'), body)))
      })
    })
    .patch('/messages/:id', async (c) => {
      const { user, store } = await requireSender(c, services, ['messages:send'])
      const change = readChange(await readJson(c, MAX_BODY_BYTES), new Date())
      return sendRaw(c, JSON.stringify(await changeMessage(store, user, c.req.param('id'), change)))
    })
    .post('/messages/:id/retry', (c) =>
      withSender(c, services, async (sender, sending) =>
        sendRaw(c, (await retryMessage(sending, sender, c.req.param('id'))).answer),
      ),
    )
    .post('/messages/:id/cancel', async (c) => {
      const { user, store } = await requireSender(c, services, ['messages:cancel'])
      return sendRaw(c, JSON.stringify(await cancelMessage(store, user, c.req.param('id'))))
    })
}

/** `/api/sms/batches` and `/api/sms/messages`: what is done with what was sent. */
export const sentPaths = (): ZodOpenApiPathsObject =>
  chapter(SENDING, SENDER, {
    'GET /api/sms/batches/{batch_id}': {
      responses: [success('The counts.', BATCH), callerRefusals('batch_not_found')],
    },
    'POST /api/sms/batches/{batch_id}/cancel': {
      responses: [
        success('What was canceled, and how all messages of the send are now.', CANCELED_BATCH),
        callerRefusals('batch_not_found'),
      ],
    },
    'POST /api/sms/batches/{batch_id}/reschedule': {
      body: [RESCHEDULE],
      responses: [
        success('What was changed, and how all messages of the send are now.', RESCHEDULED_BATCH),
        callerRefusals('invalid_request', 'batch_not_found', 'request_too_large'),
      ],
    },
    'POST /api/sms/batches/{batch_id}/retry': {
      requestBody: { required: false, content: json(RETRY_BATCH) },
      responses: [
        success('The new messages.', RETRIED_BATCH),
        callerRefusals(
          'invalid_request',
          'quota_exceeded',
          'batch_not_found',
          'request_too_large',
          'no_devices',
        ),
      ],
    },
    'PATCH /api/sms/messages/{id}': {
      body: [MESSAGE_CHANGE],
      responses: [
        success('How it is now.', CHANGED),
        callerRefusals(
          'invalid_request',
          'body_too_long',
          'message_not_found',
          'not_changeable',
          'request_too_large',
        ),
      ],
    },
    'POST /api/sms/messages/{id}/retry': {
      responses: [
        success('The new message.', ACCEPTED),
        callerRefusals(
          'quota_exceeded',
          'message_not_found',
          'not_retriable',
          'client_ref_reused',
          'no_devices',
        ),
      ],
    },
    'POST /api/sms/messages/{id}/cancel': {
      responses: [
        success('It will not be sent.', CANCELED),
        callerRefusals('message_not_found', 'not_cancelable'),
      ],
    },
  })
