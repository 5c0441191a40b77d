import { expect, test } from 'vitest'
import type { z } from 'zod'
import { HEARTBEAT_BODY, INCOMING_BODY, REPORT_BODY } from '../../../src/sms/devices/device-body.ts'
import { SEND, TEMPLATE_SEND } from '../../../src/sms/send/body.ts'
import { checkShape } from '../../../src/sms/send/shape.ts'
import { MMS_PAYLOAD, STATES_BODY } from '../../../src/smsgate/body.ts'

const AT = '2026-11-20T07:00:00.000Z'

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
  ['recipients', SEND, (list) => ({ recipients: list, body: 'a' }), 1, 'recipients[0] must be a text'],
  [
    'recipients of a template',
    TEMPLATE_SEND,
    (list) => ({ recipients: list, template_id: 'a' }),
    [],
    'recipients[0] must be a text',
  ],
  ['groups', SEND, (list) => ({ group_ids: list, body: 'a' }), '\0', 'group_ids must have at most 100 items'],
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
])('a list of wrong %s is read to its first fault', (_, schema, bodyOf, item, message) => {
  const { list, reads } = counted(item)
  expect(() => checkShape(schema, bodyOf(list))).toThrow(message)
  expect(reads()).toBeLessThan(10)
})
