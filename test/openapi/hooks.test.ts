import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/server/server-with-devices.ts'
import { type Receiver, startReceiver } from '../support/services/receiver.ts'
import {
  makeWebhook,
  sendAndReport,
  startWebhookFixture,
  type WebhookFixture,
} from '../support/webhook-fixture.ts'

let fixture: WebhookFixture
let user: Client
let receiver: Receiver
const ajv = new Ajv2020({ strict: false })
formats.default(ajv)

beforeAll(async () => {
  fixture = await startWebhookFixture()
  user = await fixture.gateway.makeUser()
  receiver = await startReceiver()
  ajv.addSchema((await (await fetch(`${fixture.gateway.url}/api/openapi.json`)).json()) as object, 'api')
})
afterAll(async () => {
  await receiver?.stop()
  await fixture?.stop()
})

test('what webhooks are sent is what is described', async () => {
  const phone = await fixture.gateway.pair(user)
  const { id } = await makeWebhook(user, receiver.url)
  await user.call('POST', `/api/webhooks/${id}/test`)
  await sendAndReport(user, phone, 1, 'sent', 'delivered')
  const told = await receiver.heard(3)
  expect(told.map(({ event }) => event.type).sort()).toEqual([
    'message.delivered',
    'message.sent',
    'webhook.test',
  ])
  for (const { event } of told) {
    const at = `api#/webhooks/${event.type}/post/requestBody/content/application~1json/schema`
    expect([event.type, ajv.validate({ $ref: at }, event), ajv.errorsText()]).toEqual([
      event.type,
      true,
      'No errors',
    ])
  }
})
