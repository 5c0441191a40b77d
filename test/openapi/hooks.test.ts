import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/gateway.ts'
import { makeHook, openSite, type Site, sendAndReport } from '../support/hooks.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

let site: Site
let user: Client
let receiver: Receiver
const ajv = new Ajv2020({ strict: false })
formats.default(ajv)

beforeAll(async () => {
  site = await openSite()
  user = await site.gateway.makeUser()
  receiver = await startReceiver()
  ajv.addSchema((await (await fetch(`${site.gateway.url}/api/openapi.json`)).json()) as object, 'api')
})
afterAll(async () => {
  await receiver?.stop()
  await site?.stop()
})

test('what webhooks are sent is what is described', async () => {
  const phone = await site.gateway.pair(user)
  const { id } = await makeHook(user, receiver.url)
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
