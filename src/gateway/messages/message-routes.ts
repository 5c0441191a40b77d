import { allowRole } from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { describeJson } from '../../http/openapi/success-answers.ts'
import type { Ctx } from '../../http/request-context.ts'
import { readBodyLength } from '../../http/server/incoming-body.ts'
import { checkShape } from '../base/body-schemas.ts'
import { describeRefusals } from '../base/describe-gateway-errors.ts'
import type { RefusalCode } from '../base/gateway-errors.ts'
import {
  countScheduledDays,
  listScheduledSends,
  SCHEDULED_DAYS,
  SCHEDULED_DAYS_QUERY,
  SCHEDULED_QUERY,
  SCHEDULED_SENDS,
} from './list-scheduled.ts'
import { CANCELED, CANCELED_BATCH, cancelBatch, cancelMessage } from './queue/cancel-messages.ts'
import {
  CHANGED,
  changeWaitingMessage,
  MESSAGE_CHANGE,
  readChange,
} from './queue/change-waiting-message.ts'
import { BATCH_STATUS, countBatch } from './queue/count-batch.ts'
import {
  RESCHEDULE,
  RESCHEDULED_BATCH,
  readReschedule,
  rescheduleBatch,
} from './queue/reschedule-batch.ts'
import { retryBatch, retryMessage } from './queue/retry-messages.ts'
import { RETRIED_BATCH, RETRY_BATCH, RETRY_MESSAGE } from './queue/retry-schemas.ts'
import { allowReader, allowSender } from './require-sender.ts'
import { ACCEPTED } from './send/accept-send.ts'
import { writeAnswer } from './send/prepare-offer.ts'
import { MAX_SEND_BODY_BYTES } from './send-routes.ts'

const readMessageJson = (c: Ctx) => readJsonBody(c)

const readOptionalJson = async (c: Ctx) =>
  readBodyLength(c.env.incoming) > 0 ? await readMessageJson(c) : {}

const OUT_OF_BOUNDS: readonly RefusalCode[] = [
  'destination_not_allowed',
  'line_not_allowed',
  'owned_by_campaign',
]

const OF_WAITING: Bound = {
  cost: 'waiting texts of the batch',
  by: 'a batch has at most 20,000 texts (`MAX_AUDIENCE`); 30 s',
}

const OF_SCHEDULED: Bound = {
  cost: 'scheduled texts of the user',
  by: 'turns; 200 sends. Reads one index, and a text of each send',
}

/** `/api/sms`: changes of texts that were sent, and counts of a send. Errors are `{"error","message"}`. */
export const MESSAGE_ROUTES = makeRoutes('sending', {
  'GET /api/sms/scheduled': {
    permission: allowRole('viewer'),
    bound: OF_SCHEDULED,
    describe: {
      id: 'listScheduledSends',
      summary: 'List the sends that wait for their time',
      description:
        'The earliest first, without campaigns. If some texts of a send were moved to another time, the send has a row for each time.',
      params: { query: SCHEDULED_QUERY },
      answer: ['The sends.', SCHEDULED_SENDS],
      fails: describeRefusals('invalid_request'),
    },
    run: ({ user, store }, c) =>
      listScheduledSends(store, user, checkShape(SCHEDULED_QUERY, c.env.incoming.query)),
  },
  'GET /api/sms/scheduled/days': {
    permission: allowRole('viewer'),
    bound: OF_SCHEDULED,
    describe: {
      id: 'countScheduledDays',
      summary: 'Count the sends that wait for their time, by day',
      params: { query: SCHEDULED_DAYS_QUERY },
      answer: ['The days that have such sends, the earliest first.', SCHEDULED_DAYS],
      fails: describeRefusals('invalid_request'),
    },
    run: ({ user, store }, c) =>
      countScheduledDays(store, user, checkShape(SCHEDULED_DAYS_QUERY, c.env.incoming.query)),
  },
  'GET /api/sms/batches/:batch_id': {
    permission: allowReader('readUsage'),
    bound: { cost: 'texts of the batch', by: 'turns' },
    describe: {
      id: 'readBatch',
      summary: 'Count the messages of a send by status',
      answer: ['The counts.', BATCH_STATUS],
      fails: describeRefusals('batch_not_found'),
    },
    run: (caller, _, id) => countBatch(caller.store, caller, id),
  },
  'POST /api/sms/batches/:batch_id/cancel': {
    permission: allowSender('cancel'),
    bound: OF_WAITING,
    describe: {
      id: 'cancelBatch',
      summary: 'Cancel the remaining messages of a send',
      description:
        'Ends all messages of a send that no device has claimed; the quota is refunded. Repeating it is no error. A campaign is canceled by `/api/campaigns`.',
      answer: ['What was canceled, and how all messages of the send are now.', CANCELED_BATCH],
      fails: describeRefusals('batch_not_found', ...OUT_OF_BOUNDS),
    },
    run: ({ store, permit }, _, id) => cancelBatch(store, permit, id),
  },
  'POST /api/sms/batches/:batch_id/reschedule': {
    permission: allowSender('change'),
    maxBytes: MAX_SEND_BODY_BYTES,
    bound: OF_WAITING,
    describe: {
      id: 'rescheduleBatch',
      summary: 'Reschedule the remaining messages of a send',
      description:
        'Changes the time of all messages of a send that are still `pending`. Their end stays unchanged unless you set it, and must be after the new time; otherwise nothing is changed. An earlier end also needs the scope `messages:cancel`. Members with the role agent may change 20 messages at once. Repeating it is no error.',
      body: [RESCHEDULE, { scheduled_at: '2026-11-21T08:00:00Z' }],
      answer: ['What was changed, and how all messages of the send are now.', RESCHEDULED_BATCH],
      fails: describeRefusals('batch_not_found', 'too_many_recipients', ...OUT_OF_BOUNDS),
    },
    run: async (sender, c, id) =>
      rescheduleBatch(
        sender.store,
        sender,
        id,
        readReschedule(await readMessageJson(c), new Date()),
      ),
  },
  'POST /api/sms/batches/:batch_id/retry': {
    permission: allowSender('retry'),
    maxBytes: MAX_SEND_BODY_BYTES,
    bound: { ...OF_WAITING, cost: 'failed texts of the batch' },
    describe: {
      id: 'retryBatch',
      summary: 'Send the failed messages of a send again',
      description:
        'Sends new messages with the same texts to the same numbers, by any device. They count in the quota, and have a new batch_id. A repeated request returns the same new messages, and sends those that could not be sent before.',
      requestBody: {
        required: false,
        content: describeJson(RETRY_BATCH, { include: ['unknown'] }),
      },
      answer: ['The new messages.', RETRIED_BATCH],
      fails: describeRefusals(
        'quota_exceeded',
        'batch_not_found',
        'no_devices',
        'too_many_recipients',
        ...OUT_OF_BOUNDS,
      ),
    },
    run: async (sender, c, id) =>
      retryBatch(sender.sending, sender, id, checkShape(RETRY_BATCH, await readOptionalJson(c))),
  },
  'PATCH /api/sms/messages/:id': {
    permission: allowSender('change'),
    maxBytes: MAX_SEND_BODY_BYTES,
    bound: 'keys',
    describe: {
      id: 'changeMessage',
      summary: 'Change a scheduled message',
      description:
        'Changes the given fields of a message that is still `pending`. The end must be after the time. The message stays counted in the month in which it was accepted. An API key changes only texts that it could send: to its destinations, by its lines. An earlier end also needs the scope `messages:cancel`. Repeating the request changes nothing.',
      body: [MESSAGE_CHANGE, { scheduled_at: '2026-11-21T08:00:00Z', body: 'See you at nine' }],
      answer: ['How it is now.', CHANGED],
      fails: describeRefusals(
        'body_too_long',
        'message_not_found',
        'not_changeable',
        ...OUT_OF_BOUNDS,
      ),
    },
    run: async ({ store, permit }, c, id) =>
      changeWaitingMessage(store, permit, id, readChange(await readMessageJson(c), new Date())),
  },
  'POST /api/sms/messages/:id/retry': {
    permission: allowSender('retry'),
    maxBytes: MAX_SEND_BODY_BYTES,
    bound: 'keys',
    describe: {
      id: 'retryMessage',
      summary: 'Send a failed message once more',
      description:
        'Sends a new message with the same text to the same number, by any device or by the one that you name. It counts against the quota. If you repeat the request, the server returns the same new message.',
      requestBody: { required: false, content: describeJson(RETRY_MESSAGE, {}) },
      answer: ['The new message.', ACCEPTED],
      fails: describeRefusals(
        ...OUT_OF_BOUNDS,
        'quota_exceeded',
        'message_not_found',
        'not_retriable',
        'client_ref_reused',
        'device_not_found',
        'no_devices',
      ),
    },
    run: async (sender, c, id) => {
      const body = checkShape(RETRY_MESSAGE, await readOptionalJson(c))
      return writeAnswer(await retryMessage(sender.sending, sender, id, body))
    },
  },
  'POST /api/sms/messages/:id/cancel': {
    permission: allowSender('cancel'),
    bound: 'keys',
    describe: {
      id: 'cancelMessage',
      summary: 'Cancel a message',
      description:
        'Ends a message that no device has claimed; the quota is refunded. Repeating it is no error.',
      answer: ['It will not be sent.', CANCELED],
      fails: describeRefusals('message_not_found', 'not_cancelable', ...OUT_OF_BOUNDS),
    },
    run: ({ store, permit }, _, id) => cancelMessage(store, permit, id),
  },
})
