import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import {
  CLAIM_BODY,
  HEARTBEAT_BODY,
  INCOMING_BODY,
  PAIR_BODY,
  PAIRING_BODY,
  PUSH_BODY,
  REPORT_BODY,
} from '../../sms/devices/device-body.ts'
import { DEVICE_STATES } from '../../sms/devices/device-states.ts'
import { PAIRING } from '../../sms/devices/pair.ts'
import { CLAIMED_MESSAGE } from '../../sms/queue/claim.ts'
import { REPORT_RESULT } from '../../sms/queue/report.ts'
import type { RefusalCode } from '../../sms/send/refusal.ts'
import { answers, done, json, success } from '../schemas/answers.ts'
import { refusals } from '../schemas/refusals.ts'
import { DEVICE, NOBODY, SIGNED_IN } from '../schemas/security.ts'

/** The chapter of the description. */
export const DEVICES = 'for devices'

/** How a request without a device's token is refused. */
const DEVICE_REFUSALS: readonly RefusalCode[] = [
  'unauthorized',
  'forbidden',
  'device_disabled',
  'account_disabled',
]

const asDevice = (operationId: string, summary: string, description = summary) => ({
  operationId,
  tags: [DEVICES],
  summary,
  description,
  security: DEVICE,
})

const posted = (
  about: ReturnType<typeof asDevice>,
  body: z.ZodType,
  example: unknown,
  description: string,
  answer: z.ZodType,
): ZodOpenApiOperationObject => ({
  ...about,
  requestBody: { required: true, content: json(body, example) },
  responses: answers(
    success(description, answer),
    refusals('invalid_request', ...DEVICE_REFUSALS, 'request_too_large'),
  ),
})

const startPairing: ZodOpenApiOperationObject = {
  operationId: 'startPairing',
  tags: [DEVICES],
  summary: 'Get a code for a new device',
  description: 'Asked by a user. The code lets one device join, once, within 5 minutes.',
  security: SIGNED_IN,
  requestBody: { required: true, content: json(PAIRING_BODY, { name: 'desk phone' }) },
  responses: answers(
    success('The code, also as a link and as a picture to scan.', PAIRING),
    refusals('invalid_request', 'unauthorized', 'forbidden', 'request_too_large', 'too_many_codes'),
  ),
}

const pair = (device: z.ZodObject): ZodOpenApiOperationObject => ({
  operationId: 'pairDevice',
  tags: [DEVICES],
  summary: 'Join with a code',
  description: 'Asked by a device that has a code. The token is good for a year; `auth-refresh` renews it.',
  security: NOBODY,
  requestBody: {
    required: true,
    content: json(PAIR_BODY, { code: '482915', platform: 'android', name: 'desk phone' }),
  },
  responses: answers(
    success(
      'The new device, and its token.',
      z
        .object({
          token: z.string().meta({ description: 'Goes into the header `Authorization`.' }),
          record: device,
        })
        .meta({ id: 'Paired' }),
    ),
    refusals('invalid_request', 'wrong_code', 'request_too_large', 'too_many_tries'),
  ),
})

const MESSAGE_ID = 'k3v9x0c2m5n8b1a'

/**
 * `/api/devices`: what phones and modems ask of the gateway. `device`: what a record of `devices` looks like.
 */
export const devicePaths = (device: z.ZodObject): ZodOpenApiPathsObject => ({
  '/api/devices/pairing': { post: startPairing },
  '/api/devices/states': {
    get: {
      operationId: 'readDeviceStates',
      tags: [DEVICES],
      summary: 'Read what devices are up to',
      description:
        'Asked by a user of the own devices, by a superuser of all: what is no part of their records.',
      security: SIGNED_IN,
      responses: answers(success('Each device.', DEVICE_STATES), refusals('unauthorized', 'forbidden')),
    },
  },
  '/api/devices/pair': {
    get: {
      operationId: 'explainPairing',
      tags: [DEVICES],
      summary: 'Read what a pairing code is for',
      security: NOBODY,
      responses: answers(
        {
          200: { description: 'A text for people.', content: { 'text/plain': { schema: z.string() } } },
          303: { description: 'For browsers: the console shows it.' },
        },
        refusals(),
      ),
    },
    post: pair(device),
  },
  '/api/devices/heartbeat': {
    post: posted(
      asDevice('heartbeat', 'Say that the device is there'),
      HEARTBEAT_BODY,
      { battery: 80 },
      'How many messages wait for the device.',
      z.object({ pending: z.int().min(0) }).meta({ id: 'Pending' }),
    ),
  },
  '/api/devices/push-key': {
    get: {
      ...asDevice('readPushKey', "Read the server's VAPID key", 'For a Web Push subscription. RFC 8292'),
      responses: answers(
        success('The public key, in base64url.', z.object({ key: z.string() }).meta({ id: 'PushKey' })),
        refusals(...DEVICE_REFUSALS),
      ),
    },
  },
  '/api/devices/push': {
    put: {
      ...asDevice(
        'savePush',
        'Keep a push subscription',
        'What the device is woken by when it has no stream open; `null` ends it.',
      ),
      requestBody: { required: true, content: json(PUSH_BODY) },
      responses: answers(done('Kept.'), refusals('invalid_request', ...DEVICE_REFUSALS, 'request_too_large')),
    },
  },
  '/api/devices/claim': {
    post: posted(
      asDevice(
        'claimMessages',
        'Take messages to send',
        'Gives the device messages, for as long as their lease says. What it holds already comes first, with the same attempt: an answer may have been lost.',
      ),
      CLAIM_BODY,
      { limit: 10, wait: 30 },
      'Messages, the most urgent first. Empty when there are none.',
      z.object({ items: z.array(CLAIMED_MESSAGE) }).meta({ id: 'Claimed' }),
    ),
  },
  '/api/devices/report': {
    post: posted(
      asDevice(
        'reportMessages',
        'Say what became of messages',
        'May be repeated: a report of an old attempt, or one that is known, changes nothing.',
      ),
      REPORT_BODY,
      { items: [{ id: MESSAGE_ID, attempt: 1, status: 'sent' }] },
      'A result for each item, in their order.',
      z.object({ items: z.array(REPORT_RESULT) }).meta({ id: 'ReportResults' }),
    ),
  },
  '/api/devices/incoming': {
    post: posted(
      asDevice('handInTexts', 'Hand in texts that the device received'),
      INCOMING_BODY,
      { items: [{ from: '+4915112345678', body: 'Thank you', received_at: '2026-11-20T07:00:00.000Z' }] },
      'Records of `sms_messages`, in the order of the items.',
      z.object({ ids: z.array(z.string()) }).meta({ id: 'HandedIn' }),
    ),
  },
  '/api/devices/events': {
    get: {
      ...asDevice(
        'deviceEvents',
        'Listen for wake-ups',
        'An event stream. `wake`: come and claim. `canceled`: `{"id"}` is not to be sent any more. A comment every 15 seconds is a sign of life.',
      ),
      responses: answers(
        { 200: { description: 'The stream.', content: { 'text/event-stream': { schema: z.string() } } } },
        refusals(...DEVICE_REFUSALS),
      ),
    },
  },
})
