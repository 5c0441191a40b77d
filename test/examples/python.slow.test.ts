import { join } from 'node:path'
import { freePort } from '../support/database/postgres.ts'
import { runs } from '../support/installed.ts'
import { startProgram } from '../support/server/program.ts'
import { request } from '../support/server/request.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { EXAMPLES } from './example.ts'

const CUSTOMER = '+4915112345678'
const hasPython = runs('python3', '--version')

test.skipIf(!hasPython)('a text is sent and delivered, and a forged call is refused', async () => {
  const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
  const user = await gateway.makeUser()
  const phone = await gateway.pair(user)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const create = (collection: string, values: object) =>
    must(user, 'POST', `/api/collections/${collection}/records`, { user: user.id, ...values })
  const { secret } = await create('webhooks', { url, events: ['message.delivered'] })
  const { key } = await create('api_keys', { name: 'shop' })
  const env = {
    POCKETSMS_URL: gateway.url,
    POCKETSMS_KEY: key,
    WEBHOOK_SECRET: secret,
    PORT: String(port),
  }
  const file = join(EXAMPLES, 'python/send_and_verify.py')
  const program = await startProgram('python3', [file], env, url, '/')
  onTestFinished(() => program.stop())

  const claim = async () => (await must(phone, 'POST', '/api/devices/claim', { limit: 1 })).items
  const [{ id, attempt, to }] = await vi.waitUntil(
    async () => {
      const items = await claim()
      return items.length > 0 && items
    },
    { timeout: 30_000, interval: 200 },
  )
  expect(to).toBe(CUSTOMER)
  await must(phone, 'POST', '/api/devices/report', {
    items: [{ id, attempt, status: 'delivered' }],
  })
  const written = () => program.output().trim().split('\n').toSorted()
  await expect.poll(written).toEqual(['delivered', `webhook message.delivered ${CUSTOMER}`])

  const forged = { type: 'message.delivered', data: { to: CUSTOMER } }
  expect((await request(url, 'POST', '/', forged)).status).toBe(400)
  expect(written()).toHaveLength(2)
})
