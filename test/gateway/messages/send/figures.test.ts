import { waitPastMidnight } from '../../../support/database/midnight.ts'
import { type Client, startServerWithDevices } from '../../../support/server/server-with-devices.ts'

await waitPastMidnight()
const server = await startServerWithDevices()
const ann = await server.makeUser()
const bea = await server.makeUser()
const phone = await server.pair(ann)

const today = () => new Date().toISOString().slice(0, 10)
const days = async (by: Client, query = '') =>
  (await by.call('GET', `/api/sms/usage/days${query}`)).body.days
const states = async (by: Client) => (await by.call('GET', '/api/devices/states')).body.items

test('messages are counted by day and status, with every day listed', async () => {
  for (const body of ['one', 'two'])
    await ann.call('POST', '/api/sms/send', { recipients: ['+4915112345678'], body })
  await phone.call('POST', '/api/devices/claim', { limit: 1 })
  const found = await days(ann)
  expect(found).toHaveLength(30)
  expect(found.at(-1)).toEqual({ day: today(), counts: { assigned: 1, sending: 1 } })
  expect(found[0].counts).toEqual({})
  expect(await days(ann, '?days=1')).toEqual([found.at(-1)])
})

test('a canceled message is counted as canceled, not as failed', async () => {
  const user = await server.makeUser()
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
  const { message_ids } = (
    await user.call('POST', '/api/sms/send', {
      recipients: ['+4915112345678'],
      body: 'Hi',
      scheduled_at,
    })
  ).body
  expect((await user.call('POST', `/api/sms/messages/${message_ids[0]}/cancel`)).status).toBe(200)
  expect((await days(user)).at(-1)).toEqual({ day: today(), counts: { canceled: 1 } })
})

test('users see counts of their own messages, superusers of all', async () => {
  expect((await days(bea)).at(-1)).toEqual({ day: today(), counts: {} })
  const counts = { assigned: 1, canceled: 1, sending: 1 }
  expect((await days(server.superuser)).at(-1)).toEqual({ day: today(), counts })
  expect((await server.guest.call('GET', '/api/sms/usage/days')).status).toBe(401)
  expect((await phone.call('GET', '/api/sms/usage/days')).status).toBe(403)
})

test.each(['0', '367', '1.5', 'x', ''])('days=%s is refused', async (value) => {
  expect(await ann.call('GET', `/api/sms/usage/days?days=${value}`)).toEqual({
    status: 400,
    body: { error: 'invalid_request', message: 'days must be a whole number from 1 to 366' },
  })
})

test('users and superusers read the state of devices and their lines', async () => {
  const [before] = await states(ann)
  expect(before).toEqual({
    device: phone.id,
    online: true,
    reachable: true,
    battery: null,
    battery_at: null,
    charging: null,
    connection: null,
    android: null,
    waiting: 2,
    failing: false,
    stuck: false,
    carrier: null,
    taken_today: 1,
    lines: [
      {
        line: expect.any(String),
        minute: 1,
        day: 0,
        month: 0,
        recipients: 0,
        waiting: 2,
        cost: null,
        stopped: false,
      },
    ],
  })
  await phone.call('POST', '/api/devices/heartbeat', { android: 37 })
  const said = { battery: 61, charging: true, connection: '4g' }
  await phone.call('POST', '/api/devices/heartbeat', said)
  const [after] = await states(ann)
  expect(after).toEqual({
    ...before,
    ...said,
    android: 37,
    battery_at: expect.stringMatching(/^20.*Z$/),
  })
  expect(await states(bea)).toEqual([])
  expect(await states(server.superuser)).toEqual([after])
  expect((await server.guest.call('GET', '/api/devices/states')).status).toBe(401)
  expect((await phone.call('GET', '/api/devices/states')).status).toBe(403)
})

test.each(['Pacific/Kiritimati', 'Etc/GMT+12'])(
  "days are counted in the account's time zone %s",
  async (time_zone) => {
    const user = await server.makeUser()
    await server.pair(user)
    await user.call('POST', '/api/collections/user_settings/records', { user: user.id, time_zone })
    await user.call('POST', '/api/sms/send', { recipients: ['+4915112345678'], body: 'Hi' })
    const day = new Intl.DateTimeFormat('sv', { timeZone: time_zone }).format()
    expect((await days(user, '?days=2')).at(-1)).toEqual({ day, counts: { assigned: 1 } })
  },
)
