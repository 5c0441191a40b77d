import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
afterAll(() => gateway.stop())

const user = await gateway.makeUser()
const records = (name: string) => `/api/collections/${name}/records`
const settings = await must(gateway.superuser, 'POST', records('user_settings'), {
  user: user.id,
  country: 'DE',
  destinations: '0151, -0900',
})
await gateway.pair(user)

test('destinations of an account are completed by the country that the same record names', () => {
  expect(settings.destinations).toBe('+49151,-49900')
})

test('a later change of destinations is completed, and another country leaves them unchanged', async () => {
  const path = `${records('user_settings')}/${settings.id}`
  expect((await must(user, 'PATCH', path, { destinations: '0049 30,43' })).destinations).toBe(
    '+4930,43',
  )
  expect((await must(user, 'PATCH', path, { country: 'AT' })).destinations).toBe('+4930,43')
  expect((await user.call('PATCH', path, { destinations: 'Berlin' })).status).toBe(400)
  await must(user, 'PATCH', path, { destinations: '', country: 'DE' })
})

test('destinations of an API key are completed by the country of the account', async () => {
  const key = await must(user, 'POST', records('api_keys'), {
    user: user.id,
    name: 'x',
    destinations: '0151',
  })
  expect(key.destinations).toBe('+49151')
})

test('prefixes of a line are completed by the country of the account', async () => {
  const { items } = await must(user, 'GET', records('lines'))
  const path = `${records('lines')}/${items[0].id}`
  expect((await must(user, 'PATCH', path, { prefixes: '0151,+49 160' })).prefixes).toBe(
    '+49151,+49160',
  )
})

test('senders that a webhook names are completed by the country of the account', async () => {
  const values = { user: user.id, url: 'http://127.0.0.1:9/', events: ['message.received'] }
  const hook = await must(user, 'POST', records('webhooks'), {
    ...values,
    numbers: '0151 20000010,0160*,ACME',
  })
  expect(hook.numbers).toBe('+4915120000010,+49160*,ACME')
  const path = `${records('webhooks')}/${hook.id}`
  expect((await must(user, 'PATCH', path, { numbers: '0151*' })).numbers).toBe('+49151*')
})
