import { Hono } from 'hono'
import { chapter, json, SENDER, SENDING } from '../../openapi/operations.ts'
import {
  BATCH,
  CANCELED,
  CANCELED_BATCH,
  cancelBatch,
  cancelMessage,
  countBatch,
} from '../../sms/queue/cancel.ts'
import {
  CHANGED,
  changeMessage,
  MESSAGE_CHANGE,
  RESCHEDULE,
  RESCHEDULED_BATCH,
  readChange,
  readReschedule,
  rescheduleBatch,
} from '../../sms/queue/change.ts'
import { RETRIED_BATCH, RETRY_BATCH, retryBatch, retryMessage } from '../../sms/queue/retry.ts'
import { ACCEPTED } from '../../sms/send/send.ts'
import { checkShape } from '../../sms/send/shape.ts'
import { bodyBytes, readJson } from '../body/raw-body.ts'
import type { Env, Services } from '../context.ts'
import { READS, requireSender, withSender } from '../middleware/sender.ts'
import { sendRaw } from '../request-info.ts'

const MAX_BODY_BYTES = 4 << 20

/** `/api/sms/batches` and `/api/sms/messages`: actions on sent messages. */
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
      return withSender(c, services, async (sender) => {
        const sending = { ...services.sending, store: sender.store }
        raw ??= bodyBytes(c.env.incoming) > 0 ? readJson(c, MAX_BODY_BYTES) : Promise.resolve({})
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
      withSender(c, services, async (sender) => {
        const sending = { ...services.sending, store: sender.store }
        return sendRaw(c, (await retryMessage(sending, sender, c.req.param('id'))).answer)
      }),
    )
    .post('/messages/:id/cancel', async (c) => {
      const { user, store } = await requireSender(c, services, ['messages:cancel'])
      return sendRaw(c, JSON.stringify(await cancelMessage(store, user, c.req.param('id'))))
    })
}

export const sentPaths = () =>
  chapter(SENDING, SENDER, {
    'GET /api/sms/batches/{batch_id}': {
      id: 'readBatch',
      summary: 'Count the messages of a send by status',
      answer: ['The counts.', BATCH],
      refuses: ['batch_not_found'],
    },
    'POST /api/sms/batches/{batch_id}/cancel': {
      id: 'cancelBatch',
      summary: 'Cancel what is left of a send',
      description:
        'Ends all messages of a send that no device has claimed; their units of the quota come back. Again is no error.',
      answer: ['What was canceled, and how all messages of the send are now.', CANCELED_BATCH],
      refuses: ['batch_not_found'],
    },
    'POST /api/sms/batches/{batch_id}/reschedule': {
      id: 'rescheduleBatch',
      summary: 'Give what is left of a scheduled send another time',
      description:
        'Changes the time of all messages of a send that are still `pending`. Their end stays as it is unless it is given, and must come after the new time: else nothing is changed. Again is no error.',
      body: [RESCHEDULE, { scheduled_at: '2026-11-21T08:00:00Z' }],
      answer: ['What was changed, and how all messages of the send are now.', RESCHEDULED_BATCH],
      refuses: ['batch_not_found'],
    },
    'POST /api/sms/batches/{batch_id}/retry': {
      id: 'retryBatch',
      summary: 'Send what has failed of a send once more',
      description:
        'Sends new messages with the same texts to the same numbers, by any device. They count against the quota, and have a batch_id of their own. Asking again answers the same new messages, and sends what could not be sent before.',
      requestBody: { required: false, content: json(RETRY_BATCH, { include: ['unknown'] }) },
      answer: ['The new messages.', RETRIED_BATCH],
      refuses: ['quota_exceeded', 'destination_not_allowed', 'batch_not_found', 'no_devices'],
    },
    'PATCH /api/sms/messages/{id}': {
      id: 'changeMessage',
      summary: 'Change a scheduled message',
      description:
        'Changes what is given of a message that is still `pending`; the rest stays as it is. The end must come after the time. It stays counted in the month in which it was accepted. The same again changes nothing.',
      body: [MESSAGE_CHANGE, { scheduled_at: '2026-11-21T08:00:00Z', body: 'See you at nine' }],
      answer: ['How it is now.', CHANGED],
      refuses: ['body_too_long', 'message_not_found', 'not_changeable'],
    },
    'POST /api/sms/messages/{id}/retry': {
      id: 'retryMessage',
      summary: 'Send a failed message once more',
      description:
        'Sends a new message with the same text to the same number, by any device. It counts against the quota. Asking again answers the same new message.',
      answer: ['The new message.', ACCEPTED],
      refuses: [
        'quota_exceeded',
        'destination_not_allowed',
        'message_not_found',
        'not_retriable',
        'client_ref_reused',
        'no_devices',
      ],
    },
    'POST /api/sms/messages/{id}/cancel': {
      id: 'cancelMessage',
      summary: 'Cancel a message',
      description:
        'Ends a message that no device has claimed; its unit of the quota comes back. Again is no error.',
      answer: ['It will not be sent.', CANCELED],
      refuses: ['message_not_found', 'not_cancelable'],
    },
  })
