import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { findDue } from '../../src/webhooks/due.ts'
import { recordOutcome } from '../../src/webhooks/record-outcome.ts'
import { forThisFile } from '../support/for-this-file.ts'
import { until } from '../support/services/receiver.ts'
import {
  deliveriesOf,
  makeDeliveriesDue,
  makeWebhook,
  sendAndReport,
  startWebhookFixture,
} from '../support/webhook-fixture.ts'

const fixture = await forThisFile(startWebhookFixture())

test('what is sent again while an attempt is under way begins anew as soon as that is over', async () => {
  const { user, phone, receiver, store } = fixture
  const one = async () => (await deliveriesOf(user))[0]
  receiver.answer(500)
  await makeWebhook(user, receiver.url)
  await sendAndReport(user, phone, 1, 'sent')
  await until('an attempt', async () => (await one())?.attempts === 1)
  let held: ServerResponse | undefined
  receiver.behave((_, res) => {
    held = res
  })
  await makeDeliveriesDue(store)
  await receiver.heard(2)
  const again = await user.call('POST', `/api/webhooks/deliveries/${(await one()).id}/resend`)
  expect(again.status).toBe(200)
  receiver.answer(204)
  held!.writeHead(500).end()
  await until('the new attempt', async () => (await one()).status === 'delivered')
  expect(await one()).toMatchObject({ attempts: 1, response_status: 204 })
})

test('what ended while an attempt was under way stays as it ended', async () => {
  const { user, phone, receiver, store } = fixture
  let held: ServerResponse | undefined
  receiver.behave(({ path }, res) => {
    if (path === '/held') held = res
    else res.writeHead(204).end()
  })
  const hook = await makeWebhook(user, `${receiver.url}/held`, { events: ['message.delivered'] })
  await sendAndReport(user, phone, 1, 'delivered')
  const one = async () => (await deliveriesOf(user)).find(({ webhook }) => webhook === hook.id)
  await until('the attempt', () => held !== undefined)
  const due = await findDue(store, (await one()).id)
  const path = `/api/collections/webhooks/records/${hook.id}`
  expect((await user.call('PATCH', path, { enabled: false })).status).toBe(200)
  const ended = { status: 'failed', attempts: 0, response_body: 'The webhook is disabled' }
  const before = await one()
  expect(before).toMatchObject(ended)
  // the call fails, and its outcome comes too late
  held!.writeHead(500).end()
  const outcome = { status: 500, text: '', latencyMs: 1, retryAfter: 0 }
  await recordOutcome(store, { delivery: before.id, since: '' }, due!, outcome)
  expect(await one()).toMatchObject(ended)
  // nor would another attempt begin
  expect(await findDue(store, before.id)).toBeUndefined()
})
