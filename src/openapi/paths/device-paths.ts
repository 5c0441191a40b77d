import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
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
import { done, success } from '../schemas/answers.ts'
import { chapter } from '../schemas/operations.ts'
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

/** The answers to a JSON body of a device. */
const posted = (description: string, answer: z.ZodType) => [
  success(description, answer),
  refusals('invalid_request', ...DEVICE_REFUSALS, 'request_too_large'),
]

const TOKEN = z.string().describe('Goes into the header `Authorization`.')
const MESSAGE_ID = 'k3v9x0c2m5n8b1a'

/** `/api/devices`. `device`: the schema of a record of `devices`. */
export const devicePaths = (device: z.ZodObject): ZodOpenApiPathsObject =>
  chapter(DEVICES, DEVICE, {
    'POST /api/devices/pairing': {
      id: 'startPairing',
      summary: 'Get a code for a new device',
      description: 'Asked by a user. The code lets one device join, once, within 5 minutes.',
      security: SIGNED_IN,
      body: [PAIRING_BODY, { name: 'desk phone' }],
      responses: [
        success('The code, also as a link and as a picture to scan.', PAIRING),
        refusals('invalid_request', 'unauthorized', 'forbidden', 'request_too_large', 'too_many_codes'),
      ],
    },
    'GET /api/devices/states': {
      id: 'readDeviceStates',
      summary: 'Read what devices are up to',
      description:
        'Asked by a user of the own devices, by a superuser of all: what is no part of their records.',
      security: SIGNED_IN,
      responses: [success('Each device.', DEVICE_STATES), refusals('unauthorized', 'forbidden')],
    },
    'GET /api/devices/pair': {
      id: 'explainPairing',
      summary: 'Read what a pairing code is for',
      security: NOBODY,
      responses: [
        {
          200: { description: 'A text for people.', content: { 'text/plain': { schema: z.string() } } },
          303: { description: 'For browsers: the console shows it.' },
        },
        refusals(),
      ],
    },
    'POST /api/devices/pair': {
      id: 'pairDevice',
      summary: 'Join with a code',
      description:
        'Asked by a device that has a code. The token is good for a year; `auth-refresh` renews it.',
      security: NOBODY,
      body: [PAIR_BODY, { code: '482915', platform: 'android', name: 'desk phone' }],
      responses: [
        success(
          'The new device, and its token.',
          z.object({ token: TOKEN, record: device }).meta({ id: 'Paired' }),
        ),
        refusals('invalid_request', 'wrong_code', 'request_too_large', 'too_many_tries'),
      ],
    },
    'POST /api/devices/heartbeat': {
      id: 'heartbeat',
      summary: 'Say that the device is there',
      description: 'Say that the device is there',
      body: [HEARTBEAT_BODY, { battery: 80 }],
      responses: posted(
        'How many messages wait for the device.',
        z.object({ pending: z.int().min(0) }).meta({ id: 'Pending' }),
      ),
    },
    'GET /api/devices/push-key': {
      id: 'readPushKey',
      summary: "Read the server's VAPID key",
      description: 'For a Web Push subscription. RFC 8292',
      responses: [
        success('The public key, in base64url.', z.object({ key: z.string() }).meta({ id: 'PushKey' })),
        refusals(...DEVICE_REFUSALS),
      ],
    },
    'PUT /api/devices/push': {
      id: 'savePush',
      summary: 'Keep a push subscription',
      description: 'What the device is woken by when it has no stream open; `null` ends it.',
      body: [PUSH_BODY],
      responses: [done('Kept.'), refusals('invalid_request', ...DEVICE_REFUSALS, 'request_too_large')],
    },
    'POST /api/devices/claim': {
      id: 'claimMessages',
      summary: 'Take messages to send',
      description:
        'Gives the device messages, for as long as their lease says. What it holds already comes first, with the same attempt: an answer may have been lost.',
      body: [CLAIM_BODY, { limit: 10, wait: 30 }],
      responses: posted(
        'Messages, the most urgent first. Empty when there are none.',
        z.object({ items: z.array(CLAIMED_MESSAGE) }).meta({ id: 'Claimed' }),
      ),
    },
    'POST /api/devices/report': {
      id: 'reportMessages',
      summary: 'Say what became of messages',
      description: 'May be repeated: a report of an old attempt, or one that is known, changes nothing.',
      body: [REPORT_BODY, { items: [{ id: MESSAGE_ID, attempt: 1, status: 'sent' }] }],
      responses: posted(
        'A result for each item, in their order.',
        z.object({ items: z.array(REPORT_RESULT) }).meta({ id: 'ReportResults' }),
      ),
    },
    'POST /api/devices/incoming': {
      id: 'handInTexts',
      summary: 'Hand in texts that the device received',
      description: 'Hand in texts that the device received',
      body: [
        INCOMING_BODY,
        { items: [{ from: '+4915112345678', body: 'Thank you', received_at: '2026-11-20T07:00:00.000Z' }] },
      ],
      responses: posted(
        'Records of `sms_messages`, in the order of the items.',
        z.object({ ids: z.array(z.string()) }).meta({ id: 'HandedIn' }),
      ),
    },
    'GET /api/devices/events': {
      id: 'deviceEvents',
      summary: 'Listen for wake-ups',
      description:
        'An event stream. `wake`: come and claim. `canceled`: `{"id"}` is not to be sent any more. A comment every 15 seconds is a sign of life.',
      responses: [
        { 200: { description: 'The stream.', content: { 'text/event-stream': { schema: z.string() } } } },
        refusals(...DEVICE_REFUSALS),
      ],
    },
  })
