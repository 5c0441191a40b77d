import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { startReceiver } from '../support/services/receiver.ts'
import { makeWebhook, sendAndReport, startWebhookFixture } from '../support/webhook-fixture.ts'

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)

const fixture = await startWebhookFixture()
const user = await fixture.gateway.makeUser()
const receiver = await startReceiver()
ajv.addSchema((await (await fetch(`${fixture.gateway.url}/api/openapi.json`)).json()) as object, 'api')

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
