import { must, startServerWithDevices } from '../../../../support/server/server-with-devices.ts'

const gateway = await startServerWithDevices()
const PATH = '/api/devices/carriers'
const url = 'https://carrier.example'
const custom = (more: object = {}) => ({
  preset: 'custom',
  url,
  custom: { send: { path: '/' }, ...more },
})
const receipt = { ref: 'ref', status: 'status', delivered: ['ok'], failed: ['bad'] }
const incoming = { from: 'from', body: 'body' }

/** A carrier that does not run, and its address for calls. */
async function makeCarrier() {
  const user = await gateway.makeUser()
  const { device, callback } = await must(user, 'POST', PATH, {
    account: custom({ receipt, incoming }),
  })
  await must(user, 'PATCH', `/api/collections/devices/records/${device}`, { enabled: false })
  const call = async (method: string) => {
    const query = 'from=%2B4915112345678&body=Hello'
    return (await fetch(`${gateway.url}${new URL(callback).pathname}?${query}`, { method })).status
  }
  const received = async () =>
    Number(
      (
        await gateway.query('select count(*) from sms_messages where "user" = $1', [user.id])
      )[0]![0],
    )
  return { user, device, call, received }
}

test('a carrier that only asks for the head of its address brings no text', async () => {
  const { call, received } = await makeCarrier()
  expect([await call('HEAD'), await received()]).toEqual([405, 0])
  expect([await call('GET'), await received()]).toEqual([200, 1])
})

test('the carrier of a disabled account brings no text', async () => {
  const { user, call, received } = await makeCarrier()
  const settings = { user: user.id, disabled: true }
  await must(gateway.superuser, 'POST', '/api/collections/user_settings/records', settings)
  expect([await call('POST'), await received()]).toEqual([403, 0])
})

test('all carriers of an account together make at most 100 requests at the same time', async () => {
  const user = await gateway.makeUser()
  const add = (parallel?: number) =>
    user.call('POST', PATH, { account: { ...custom(), ...(parallel && { parallel }) } })
  const { device } = (await add(95)).body
  expect(await add()).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('parallel') },
  })
  const change = (of: string, parallel: number) =>
    user.call('PUT', `${PATH}/${of}`, { account: { ...custom(), parallel } })
  expect((await change(device, 90)).status).toBe(200)
  const second = await add()
  expect(second.status).toBe(200)
  expect((await change(second.body.device, 11)).status).toBe(400)
  await gateway.query('update devices set enabled = false where "user" = $1', [user.id])
})

test('a carrier at a private address is refused when it is added and when it changes', async () => {
  const user = await gateway.makeUser()
  const { device } = await must(user, 'POST', PATH, { account: custom() })
  const account = { ...custom(), url: 'https://169.254.169.254' }
  const refused = {
    status: 400,
    body: { message: '169.254.169.254 is not an address of the internet' },
  }
  for (const check of [false, true])
    expect(await user.call('POST', PATH, { account, check })).toMatchObject(refused)
  expect(await user.call('PUT', `${PATH}/${device}`, { account, secret: '' })).toMatchObject(
    refused,
  )
  await gateway.query('update devices set enabled = false where "user" = $1', [user.id])
})
