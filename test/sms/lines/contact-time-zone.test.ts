import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Client,
  type ServerWithDevices,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

let server: ServerWithDevices
let user: Client
beforeAll(async () => {
  server = await startServerWithDevices()
  user = await server.makeUser()
  await server.pair(user)
})
afterAll(() => server.stop())

const PATH = '/api/collections/contacts/records'
const create = (phone: string, time_zone?: string) =>
  user.call('POST', PATH, { user: user.id, phone, ...(time_zone !== undefined && { time_zone }) })

test.each([
  [undefined, 200],
  ['', 200],
  ['America/New_York', 200],
  ['Nowhere/Land', 400],
  ['+01:00', 400],
  ["Europe/Berlin'", 400],
])('a contact whose time zone is %j: %d', async (zone, status) => {
  const { status: got, body } = await create(`+4917${Math.random().toString().slice(2, 10)}`, zone)
  expect(got).toBe(status)
  if (status === 400) expect(body.data.time_zone.code).toBe('validation_invalid_time_zone')
})

test('a change is checked, other changes are not', async () => {
  const { body: contact } = await create('+491701', 'Asia/Tokyo')
  const change = async (body: object) => (await user.call('PATCH', `${PATH}/${contact.id}`, body)).status
  expect(await change({ time_zone: 'Tokyo' })).toBe(400)
  expect(await change({ name: 'Ann' })).toBe(200)
  expect(await change({ time_zone: '' })).toBe(200)
})

test('an installation may leave the field out, and quiet hours go on', async () => {
  const collection = (await server.superuser.call('GET', '/api/collections/contacts')).body
  const fields = collection.fields.filter(({ name }: { name: string }) => name !== 'time_zone')
  expect((await server.superuser.call('PATCH', '/api/collections/contacts', { fields })).status).toBe(200)
  expect((await create('+491702')).status).toBe(200)
  await user.call('POST', '/api/collections/user_settings/records', {
    user: user.id,
    quiet_from: '00:00',
    quiet_to: '23:59',
  })
  const send = { recipients: ['+491702'], body: 'Hi', quiet_hours: true }
  expect((await user.call('POST', '/api/sms/send', send)).status).toBe(200)
})
