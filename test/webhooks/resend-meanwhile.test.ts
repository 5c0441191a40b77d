import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deliveriesOf, makeHook, openSite, passTime, type Site, sendAndReport } from '../support/hooks.ts'
import { until } from '../support/receiver.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site?.stop())

test('what is sent again while an attempt is under way begins anew as soon as that is over', async () => {
  const { user, phone, receiver, store } = site
  const one = async () => (await deliveriesOf(user))[0]
  receiver.answer(500)
  await makeHook(user, receiver.url)
  await sendAndReport(user, phone, 1, 'sent')
  await until('an attempt', async () => (await one())?.attempts === 1)
  let held: ServerResponse | undefined
  receiver.behave((_, res) => {
    held = res
  })
  await passTime(store)
  await receiver.heard(2)
  const again = await user.call('POST', `/api/webhooks/deliveries/${(await one()).id}/resend`)
  expect(again.status).toBe(200)
  receiver.answer(204)
  held!.writeHead(500).end()
  await until('the new attempt', async () => (await one()).status === 'delivered')
  expect(await one()).toMatchObject({ attempts: 1, response_status: 204 })
})
