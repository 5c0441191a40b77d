import { request } from '../../../support/server/request.ts'
import { must, startServerWithDevices } from '../../../support/server/server-with-devices.ts'

const { makeUser, pair, url } = await startServerWithDevices()

test.each<[scopes: string[], sees: boolean]>([
  [[], false],
  [['messages:send'], false],
  [['messages:send', 'messages:list'], false],
  [['messages:send', 'devices:list'], true],
  [['all:any'], true],
])('a key with the scopes %j sees lines and their costs: %s', async (scopes, sees) => {
  const user = await makeUser()
  await pair(user)
  const records = (name: string) => `/api/collections/${name}/records`
  const [line] = (await must(user, 'GET', records('lines'))).items
  await must(user, 'PATCH', `${records('lines')}/${line.id}`, { prices: { default: '0.08' } })
  const { key } = await must(user, 'POST', records('api_keys'), {
    user: user.id,
    name: 'shop',
    scopes,
  })
  const ask = (method: string, path: string, body?: object) =>
    request(url, method, path, body, { 'x-api-key': key })
  const text = { recipients: ['+4915112345678'], body: 'Hi' }
  const { status, body } = await ask('POST', '/api/sms/preview', text)
  expect({ status, estimate: body.estimate }).toEqual({
    status: 200,
    estimate: sees
      ? {
          currency: '',
          lines: [{ line: line.id, texts: 1, segments: 1, cost: '0.08' }],
          waiting: 0,
        }
      : null,
  })
  expect((await ask('GET', '/api/sms/usage/lines')).status).toBe(sees ? 200 : 403)
})
