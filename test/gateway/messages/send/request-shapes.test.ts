import type { z } from 'zod'
import { checkShape } from '../../../../src/gateway/base/body-schemas.ts'
import {
  CLAIM_BODY,
  HEARTBEAT_BODY,
  INCOMING_BODY,
  PAIR_BODY,
  PAIRING_BODY,
  PUSH_BODY,
  REPORT_BODY,
} from '../../../../src/gateway/lines/device-schemas.ts'
import { MESSAGE_CHANGE } from '../../../../src/gateway/messages/queue/change-waiting-message.ts'
import { RESCHEDULE } from '../../../../src/gateway/messages/queue/reschedule-batch.ts'
import { RETRY_BATCH } from '../../../../src/gateway/messages/queue/retry-schemas.ts'
import { SEND, TEMPLATE_SEND } from '../../../../src/gateway/messages/send/send-body-schema.ts'
import {
  DATA_PAYLOAD,
  MMS_PAYLOAD,
  TEXT_PAYLOAD,
} from '../../../../src/gateway/smsgate-app/read-received-texts.ts'
import {
  REGISTER_BODY,
  STARTED_PAYLOAD,
  UPDATE_BODY,
} from '../../../../src/gateway/smsgate-app/sim-cards.ts'
import { STATES_BODY } from '../../../../src/gateway/smsgate-app/state-report-body.ts'
import { EVENT_BODY } from '../../../../src/gateway/smsgate-app/store-event.ts'

const AT = '2026-11-20T07:00:00.000Z'
const PUSH = {
  endpoint: 'https://push.example.com/1',
  keys: { p256dh: 'B'.repeat(87), auth: 'a'.repeat(22) },
}
const NAMED = { name: 'a' }
const SIMS = [{ slot: 1 }]
const CARDS = [{ simNumber: 1, phoneNumber: '+491', carrierName: 'a' }]
const OPTIONS = {
  recipients: ['+4911111'],
  group_ids: ['g'],
  device_id: 'd',
  scheduled_at: AT,
  ttl: 5,
  priority: 1,
  sim: 1,
  guarantee: 'at_most_once',
  client_ref: 'r',
}
const REPORT = { id: 'a', attempt: 1, status: 'failed', error_message: 'b', at: AT, not_sent: true }
const APP_REPORT = { id: 'a', state: 'Sent', recipients: [{ error: 'b' }], states: { Sent: AT } }
const FILES = [{ name: 'a', contentType: 'b', size: 1 }]
const RECEIVED = { sender: 'a', recipient: 'b', simNumber: 1, receivedAt: AT }

/** Every body that our own routes read, with a request that has all of its fields. */
const BODIES: readonly [string, z.ZodType, unknown][] = [
  ['send', SEND, { ...OPTIONS, body: 'Hi' }],
  ['send-template', TEMPLATE_SEND, { ...OPTIONS, template_id: 't', variables: { a: 'b' } }],
  ['change', MESSAGE_CHANGE, { scheduled_at: AT, expires_at: AT, body: 'Hi', priority: 1 }],
  ['reschedule', RESCHEDULE, { scheduled_at: AT, expires_at: AT, ttl: 5 }],
  ['retry', RETRY_BATCH, { include: ['unknown'] }],
  ['pairing', PAIRING_BODY, NAMED],
  [
    'pair',
    PAIR_BODY,
    { code: '123456', platform: 'other', phone: '+491', ...NAMED, sims: SIMS, push: PUSH },
  ],
  ['heartbeat', HEARTBEAT_BODY, { battery: 5, sims: SIMS }],
  ['push', PUSH_BODY, PUSH],
  ['push within', PUSH_BODY, { push: PUSH }],
  ['claim', CLAIM_BODY, { limit: 5, wait: 5 }],
  ['report', REPORT_BODY, { items: [REPORT] }],
  ['incoming', INCOMING_BODY, { items: [{ from: 'a', body: 'b', received_at: AT, sim: 1 }] }],
  ['a phone of the SMSGate app that registers', REGISTER_BODY, { name: 'a', simCards: CARDS }],
  ['a phone of the SMSGate app that changes', UPDATE_BODY, { id: 'a', simCards: CARDS }],
  ['reports of the SMSGate app', STATES_BODY, [APP_REPORT]],
  ['an event of the SMSGate app', EVENT_BODY, { event: 'a', payload: {} }],
  ['a received text of the SMSGate app', TEXT_PAYLOAD, { ...RECEIVED, message: 'a' }],
  ['a received data text of the SMSGate app', DATA_PAYLOAD, { ...RECEIVED, data: 'a' }],
  [
    'a received MMS of the SMSGate app',
    MMS_PAYLOAD,
    { ...RECEIVED, subject: 'a', body: 'b', attachments: FILES },
  ],
  ['a start of the SMSGate app', STARTED_PAYLOAD, { simCards: CARDS }],
]

type Path = readonly (string | number)[]

/** The paths of all values inside of one. */
const pathsOf = (value: unknown): Path[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) => {
        const key = Array.isArray(value) ? Number(name) : name
        return [[key], ...pathsOf(inner).map((rest) => [key, ...rest])]
      })

/** A copy with another value at a path; undefined takes the field away. */
function withValue(value: unknown, path: Path, next: unknown): unknown {
  if (path.length === 0) return next
  const copy = structuredClone(value)
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  let at: any = copy
  for (const key of path.slice(0, -1)) at = at[key]
  if (next === undefined) delete at[path.at(-1)!]
  else at[path.at(-1)!] = next
  return copy
}

const nameOf = (path: Path) =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '')

/** The sentence of a refusal; undefined for a body that is taken. */
function faultOf(schema: z.ZodType, body: unknown): string | undefined {
  try {
    checkShape(schema, body)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const WRONG = [
  null,
  true,
  5.5,
  -1e9,
  1e300,
  'x',
  '',
  '\0',
  [],
  {},
  [null],
  [[]],
  [{}],
  { a: null },
  ['x', 5],
]
/** What zod says by itself. */
const RAW = /invalid|expected|, received|too (big|small)|unrecognized|undefined|NaN/i

test.each(BODIES)('%s: the example body is accepted', (_, schema, example) => {
  expect(faultOf(schema, example)).toBeUndefined()
})

test.each(BODIES)(
  '%s: each missing field is either optional or named as required',
  (_, schema, example) => {
    for (const path of pathsOf(example)) {
      // without `push` it is a subscription itself
      if (
        typeof path.at(-1) === 'number' ||
        (schema === PUSH_BODY && path.length === 1 && path[0] === 'push')
      )
        continue
      expect([undefined, `${nameOf(path)} is required`]).toContain(
        faultOf(schema, withValue(example, path, undefined)),
      )
    }
  },
)

test.each(BODIES)(
  '%s: each wrong value is reported in a plain sentence with its field',
  (_, schema, example) => {
    for (const path of pathsOf(example))
      for (const wrong of WRONG) {
        const fault = faultOf(schema, withValue(example, path, wrong))
        if (fault === undefined) continue
        expect(fault).not.toMatch(RAW)
        expect(fault).toMatch(/^[\w.[\]]+ (must|is|can|has) [^A-Z]/)
        // the value itself, or what is in it or is missing in it; a list's fault may be told of the list
        expect(
          fault.startsWith(nameOf(path)) || nameOf(path).startsWith(fault.split(' ')[0]!),
        ).toBe(true)
      }
  },
)

test.each(BODIES)('%s: a body of another JSON type is refused', (_, schema, example) => {
  const kind = Array.isArray(example) ? 'list' : 'object'
  for (const body of [true, 5, 'x', Array.isArray(example) ? {} : []])
    expect(faultOf(schema, body)).toBe(`The body must be a JSON ${kind}`)
})

const isPush = ([name]: (typeof BODIES)[number]) => name.startsWith('push')

test.each(BODIES.filter(isPush))('%s: a body that is null is accepted', (_, schema) => {
  expect(faultOf(schema, null)).toBeUndefined()
})

test.each(BODIES.filter((body) => !isPush(body)))(
  '%s: a body that is null is refused',
  (_, schema, example) => {
    const kind = Array.isArray(example) ? 'list' : 'object'
    expect(faultOf(schema, null)).toBe(`The body must be a JSON ${kind}`)
  },
)

test.each([
  ['an empty subscription', PUSH_BODY, {}, 'endpoint is required'],
  ['a subscription without keys', PUSH_BODY, { endpoint: PUSH.endpoint }, 'keys is required'],
  [
    'a nested subscription without an endpoint',
    PUSH_BODY,
    { push: { keys: PUSH.keys } },
    'push.endpoint is required',
  ],
  ['a nested subscription that is a number', PUSH_BODY, { push: 5 }, 'push must be an object'],
  ['an item that is null', REPORT_BODY, { items: [null] }, 'items[0] must be an object'],
  ['too many items', STATES_BODY, Array(501).fill(null), 'The body must have at most 500 items'],
] as const)('%s is refused: $3', (_, schema, body, sentence) =>
  expect(faultOf(schema, body)).toBe(sentence),
)

/** A list of the same item again and again, which counts how often one is read. */
function counted(item: unknown) {
  let reads = 0
  const list = new Proxy(Array(10_000).fill(item), {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++
      return Reflect.get(target, key, receiver)
    },
  })
  return { list, reads: () => reads }
}

type Body = (list: unknown) => unknown

test.each<[string, z.ZodType, Body, unknown, string]>([
  [
    'recipients',
    SEND,
    (list) => ({ recipients: list, body: 'a' }),
    true,
    'recipients[0] must be a text',
  ],
  [
    'recipients of a template',
    TEMPLATE_SEND,
    (list) => ({ recipients: list, template_id: 'a' }),
    [],
    'recipients[0] must be a text',
  ],
  [
    'groups',
    SEND,
    (list) => ({ group_ids: list, body: 'a' }),
    '\0',
    'group_ids must have at most 100 items',
  ],
  ['reports', REPORT_BODY, (items) => ({ items }), {}, 'items must have at most 100 items'],
  ['received texts', INCOMING_BODY, (items) => ({ items }), 1, 'items must have at most 100 items'],
  ['SIM cards', HEARTBEAT_BODY, (sims) => ({ sims }), 1, 'sims must have at most 8 items'],
  ['states of the app', STATES_BODY, (list) => list, 1, 'The body must have at most 500 items'],
  [
    'attachments',
    MMS_PAYLOAD,
    (attachments) => ({ receivedAt: AT, attachments }),
    { name: 1 },
    'attachments[0].name must be a text',
  ],
])('a list of wrong %s is read only to its first fault: $4', (_, schema, bodyOf, item, message) => {
  const { list, reads } = counted(item)
  expect(() => checkShape(schema, bodyOf(list))).toThrow(message)
  // the app's lists are cut to 100 items first
  expect(reads()).toBeLessThan(110)
})
