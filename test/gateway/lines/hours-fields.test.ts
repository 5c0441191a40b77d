import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()

const HOURS = [
  ['', '', []],
  ['22:00', '08:00', []],
  ['22:00', '08:00', ['sat']],
] as const

const WRONG_HOURS = [
  ['22:00', '', [], 'to'],
  ['', '08:00', [], 'from'],
  ['08:00', '08:00', [], 'to'],
  ['', '', ['mon'], 'from'],
] as const

const PLACES = [
  ['user_settings', 'quiet_', 'quiet_days', {}],
  ['auto_answers', 'hours_', 'days', { match: 'any', body: 'We are closed', enabled: true }],
] as const

describe.each(PLACES)('%s', (collection, prefix, daysField, rest) => {
  const path = `/api/collections/${collection}/records`
  let user: Client
  const fieldsOf = (from: string, to: string, days: readonly string[]) => ({
    [`${prefix}from`]: from,
    [`${prefix}to`]: to,
    [daysField]: days,
  })

  const create = async (from: string, to: string, days: readonly string[]) => {
    user = await server.makeUser()
    return user.call('POST', path, { user: user.id, ...rest, ...fieldsOf(from, to, days) })
  }

  test.each(HOURS)('hours from "%s" to "%s" on %j are accepted', async (from, to, days) => {
    expect((await create(from, to, days)).status).toBe(200)
  })

  test.each(WRONG_HOURS)(
    'hours from "%s" to "%s" on %j are refused for the field %s',
    async (from, to, days, fault) => {
      const { status, body } = await create(from, to, days)
      expect(status).toBe(400)
      const codes = Object.entries<{ code: string }>(body.data).map(([name, { code }]) => [
        name,
        code,
      ])
      expect(codes).toEqual([[prefix + fault, 'validation_invalid_hours']])
    },
  )

  test('a change of hours is validated, and invalid old values may stay', async () => {
    user = await server.makeUser()
    const { body: record } = await user.call('POST', path, {
      user: user.id,
      ...rest,
      ...fieldsOf('22:00', '08:00', []),
    })
    const change = async (values: object) =>
      (await user.call('PATCH', `${path}/${record.id}`, values)).status
    expect(await change({ [`${prefix}to`]: '' })).toBe(400)
    await server.server.services.store.db.query(
      `update ${collection} set ${prefix}to = '' where id = $1`,
      [record.id],
    )
    expect(await change({ [`${prefix}to`]: '' })).toBe(200)
    expect(await change({ [`${prefix}from`]: '21:00' })).toBe(400)
    expect(await change(fieldsOf('', '', []))).toBe(200)
  })
})

test('a change of quiet hours makes texts that wait for their end due again', async () => {
  const user = await server.makeUser()
  const path = '/api/collections/user_settings/records'
  const values = { user: user.id, quiet_from: '22:00', quiet_to: '08:00' }
  const { body: settings } = await user.call('POST', path, values)
  const { db } = server.server.services.store
  await db.query(
    `insert into sms_dispatch (message, "user", state, period, due_at, waiting_for)
    values ('waitsforquiet00', $1, 'pending', '2026-11', now() + interval '1 day', 'quiet_hours')`,
    [user.id],
  )
  const waits = async () =>
    (
      await db.query(`select count(*) from sms_dispatch where "user" = $1 and due_at > now()`, [
        user.id,
      ])
    ).rows[0]![0]
  await user.call('PATCH', `${path}/${settings.id}`, { default_country: 'DE' })
  expect(await waits()).toBe(1)
  await user.call('PATCH', `${path}/${settings.id}`, { quiet_to: '06:00' })
  expect(await waits()).toBe(0)
})

const user = await server.makeUser()
await server.pair(user)

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
])('a contact with the time zone %j is answered with %d', async (zone, status) => {
  const { status: got, body } = await create(`+4917${Math.random().toString().slice(2, 10)}`, zone)
  expect(got).toBe(status)
  if (status === 400) expect(body.data.time_zone.code).toBe('validation_invalid_time_zone')
})

test("a contact's time zone is validated only when it changes", async () => {
  const { body: contact } = await create('+4917010', 'Asia/Tokyo')
  const change = async (body: object) =>
    (await user.call('PATCH', `${PATH}/${contact.id}`, body)).status
  expect(await change({ time_zone: 'Tokyo' })).toBe(400)
  expect(await change({ name: 'Ann' })).toBe(200)
  expect(await change({ time_zone: '' })).toBe(200)
})

test('a send waits for quiet hours when the contacts collection has no time_zone field', async () => {
  const collection = (await server.superuser.call('GET', '/api/collections/contacts')).body
  const fields = collection.fields.filter(({ name }: { name: string }) => name !== 'time_zone')
  expect(
    (await server.superuser.call('PATCH', '/api/collections/contacts', { fields })).status,
  ).toBe(200)
  expect((await create('+4917020')).status).toBe(200)
  const hour = Number(
    new Intl.DateTimeFormat('en', {
      timeZone: 'Europe/Berlin',
      hour: 'numeric',
      hourCycle: 'h23',
    }).format(),
  )
  const clock = (hours: number) => `${String((hour + hours) % 24).padStart(2, '0')}:00`
  await user.call('POST', '/api/collections/user_settings/records', {
    user: user.id,
    quiet_from: clock(18),
    quiet_to: clock(6),
  })
  const send = { recipients: ['+4917020'], body: 'Hi', quiet_hours: true }
  const sent = await user.call('POST', '/api/sms/send', send)
  expect(sent.status).toBe(200)
  const message = `/api/collections/sms_messages/records/${sent.body.message_ids[0]}`
  expect((await user.call('GET', message)).body.waiting_for).toBe('quiet_hours')
})
