import { join } from 'node:path'
import { freePort } from '../support/database/postgres.ts'
import { startProgram } from '../support/server/program.ts'
import { request } from '../support/server/request.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { EXAMPLES } from './example.ts'

const CUSTOMER = '+4915112345678'
const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const user = await gateway.makeUser()
const phone = await gateway.pair(user)

test('an order sends one text, its status reaches the shop, and CANCEL cancels the order', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const events = ['message.sent', 'message.delivered', 'message.failed', 'message.received']
  const hook = { user: user.id, url: `${url}/hooks/sms`, events }
  const { secret } = await must(user, 'POST', '/api/collections/webhooks/records', hook)
  const { key } = await must(user, 'POST', '/api/collections/api_keys/records', {
    user: user.id,
    name: 'shop',
  })
  const env = {
    POCKETSMS_URL: gateway.url,
    POCKETSMS_KEY: key,
    WEBHOOK_SECRET: secret,
    PORT: String(port),
  }
  const shop = await startProgram(
    process.execPath,
    [join(EXAMPLES, 'web-shop/shop.js')],
    env,
    url,
    '/orders',
  )
  onTestFinished(() => shop.stop())

  const order = { id: '17', phone: CUSTOMER }
  for (let i = 0; i < 2; i++)
    expect((await request(url, 'POST', '/orders', order)).status).toBe(201)
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 10 })
  expect(items).toMatchObject([
    { to: CUSTOMER, body: 'Thank you for order 17. Answer CANCEL to cancel it.' },
  ])
  const [{ id, attempt }] = items
  const report = { items: [{ id, attempt, status: 'delivered' }] }
  await must(phone, 'POST', '/api/devices/report', report)
  const stored = async () => (await request(url, 'GET', '/orders')).body['17']
  await expect
    .poll(stored, { timeout: 10_000 })
    .toMatchObject({ state: 'ordered', text: 'delivered' })
  await gateway.hear(phone, [[CUSTOMER, 'Cancel please']])
  await expect.poll(stored, { timeout: 10_000 }).toMatchObject({ state: 'canceled' })

  const forged = { type: 'message.received', data: { from: CUSTOMER, body: 'CANCEL' } }
  expect((await request(url, 'POST', '/hooks/sms', forged)).status).toBe(400)
})
