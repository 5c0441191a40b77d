import { z } from 'zod'
import { chapter } from '../../http/openapi/operations.ts'
import { DEVICE, NOBODY, SIGNED_IN } from '../../http/openapi/security.ts'
import { textAnswer } from '../../http/openapi/success-answers.ts'
import { describeRefusals } from '../base/describe-refusals.ts'
import type { RefusalCode } from '../base/refusals.ts'
import {
  CLAIM_BODY,
  HEARTBEAT_BODY,
  INCOMING_BODY,
  PAIR_BODY,
  PAIRING_BODY,
  PUSH_BODY,
  REPORT_BODY,
} from '../lines/device-body.ts'
import { PAIRING } from '../lines/pair.ts'
import { DEVICE_STATES } from '../lines/read-device-states.ts'
import { CLAIMED_MESSAGE } from '../messages/queue/claim.ts'
import { REPORT_RESULT } from '../messages/queue/store-reports.ts'

const TOKEN = z.string().describe('Send it in the header `Authorization`.')

export const DEVICES = 'for devices'

const DEVICE_REFUSALS: readonly RefusalCode[] = ['device_disabled', 'account_disabled']

export const devicePaths = (device: z.ZodObject) =>
  chapter(DEVICES, DEVICE, {
    'POST /api/devices/heartbeat': {
      id: 'heartbeat',
      summary: 'Report that the device is online',
      body: [HEARTBEAT_BODY, { battery: 80, charging: false, connection: 'wifi' }],
      answer: [
        'How many messages wait for the device.',
        z.object({ pending: z.int().min(0) }).meta({ id: 'Pending' }),
      ],
      refuses: describeRefusals(...DEVICE_REFUSALS),
    },
    'GET /api/devices/push-key': {
      id: 'readPushKey',
      summary: "Read the server's VAPID key",
      description: 'For a Web Push subscription. RFC 8292',
      answer: ['The public key, in base64url.', z.object({ key: z.string() }).meta({ id: 'PushKey' })],
      refuses: describeRefusals(...DEVICE_REFUSALS),
    },
    'PUT /api/devices/push': {
      id: 'savePush',
      summary: 'Keep a push subscription',
      description:
        'The push subscription that wakes the device while it has no open stream; `null` removes it.',
      body: [PUSH_BODY],
      answer: ['Kept.'],
      refuses: describeRefusals(...DEVICE_REFUSALS),
    },
    'POST /api/devices/claim': {
      id: 'claimMessages',
      summary: 'Claim messages to send',
      description:
        'Hands messages to the device until their lease expires. Messages that the device holds already come first, with the same attempt, because an answer may have been lost.',
      body: [CLAIM_BODY, { limit: 10, wait: 30 }],
      answer: [
        'Messages, the most urgent first. Empty when there are none.',
        z.object({ items: z.array(CLAIMED_MESSAGE) }).meta({ id: 'Claimed' }),
      ],
      refuses: describeRefusals(...DEVICE_REFUSALS),
    },
    'POST /api/devices/report': {
      id: 'reportMessages',
      summary: 'Report the outcome of messages',
      description: 'May be repeated: a report of an old attempt, or one that is known, changes nothing.',
      body: [REPORT_BODY, { items: [{ id: 'k3v9x0c2m5n8b1a', attempt: 1, status: 'sent' }] }],
      answer: [
        'A result for each item, in their order.',
        z.object({ items: z.array(REPORT_RESULT) }).meta({ id: 'ReportResults' }),
      ],
      refuses: describeRefusals(...DEVICE_REFUSALS),
    },
    'POST /api/devices/incoming': {
      id: 'handInTexts',
      summary: 'Hand in texts that the device received',
      body: [
        INCOMING_BODY,
        { items: [{ from: '+4915112345678', body: 'Thank you', received_at: '2026-11-20T07:00:00.000Z' }] },
      ],
      answer: [
        'Records of `sms_messages`, in the order of the items.',
        z.object({ ids: z.array(z.string()) }).meta({ id: 'HandedIn' }),
      ],
      refuses: describeRefusals(...DEVICE_REFUSALS),
    },
    'GET /api/devices/events': {
      id: 'deviceEvents',
      summary: 'Listen for wake-ups',
      description:
        'An event stream. `wake`: come and claim. `canceled`: `{"id"}` is not to be sent any more. A comment every 15 seconds is a sign of life.',
      refuses: describeRefusals(...DEVICE_REFUSALS),
      responses: textAnswer('text/event-stream', 'The stream.'),
    },
    'POST /api/devices/pairing': {
      id: 'startPairing',
      summary: 'Get a code for a new device',
      description: 'Asked by a user. The code lets one device join, once, within 5 minutes.',
      security: SIGNED_IN,
      body: [PAIRING_BODY, { name: 'desk phone' }],
      answer: ['The code, also as a link and as a picture to scan.', PAIRING],
      refuses: describeRefusals('too_many_codes'),
    },
    'GET /api/devices/states': {
      id: 'readDeviceStates',
      summary: 'Read the states of devices',
      description:
        'The state that device records do not contain. A user gets it for their own devices, a superuser for all.',
      security: SIGNED_IN,
      answer: ['Each device.', DEVICE_STATES],
      refuses: [],
    },
    'GET /api/devices/pair': {
      id: 'explainPairing',
      summary: 'Look up a pairing code',
      security: NOBODY,
      refuses: [],
      responses: {
        ...textAnswer('text/plain', 'A text for people.'),
        303: { description: 'For browsers: the console shows it.' },
      },
    },
    'POST /api/devices/pair': {
      id: 'pairDevice',
      summary: 'Join with a code',
      description:
        'Asked by a device that has a code. The token is good for a year; `auth-refresh` renews it.',
      security: NOBODY,
      body: [PAIR_BODY, { code: '482915', platform: 'android', name: 'desk phone' }],
      answer: [
        'The new device, and its token.',
        z.object({ token: TOKEN, record: device }).meta({ id: 'Paired' }),
      ],
      refuses: describeRefusals('wrong_code', 'too_many_tries'),
    },
  })
