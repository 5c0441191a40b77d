import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Client,
  type ServerWithDevices,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

let server: ServerWithDevices
beforeAll(async () => {
  server = await startServerWithDevices()
})
afterAll(() => server.stop())

const HOURS = [
  ['', '', [], undefined],
  ['22:00', '08:00', [], undefined],
  ['22:00', '08:00', ['sat'], undefined],
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

  test.each(HOURS)('from "%s" to "%s" on %j: a fault of %s', async (from, to, days, fault) => {
    user = await server.makeUser()
    const values = { user: user.id, ...rest, ...fieldsOf(from, to, days) }
    const { status, body } = await user.call('POST', path, values)
    expect(status).toBe(fault ? 400 : 200)
    const codes = Object.entries<{ code: string }>(body.data ?? {}).map(([name, { code }]) => [name, code])
    if (fault) expect(codes).toEqual([[prefix + fault, 'validation_invalid_hours']])
  })

  test('a change is checked; what was stored before may stay', async () => {
    user = await server.makeUser()
    const { body: record } = await user.call('POST', path, {
      user: user.id,
      ...rest,
      ...fieldsOf('22:00', '08:00', []),
    })
    const change = async (values: object) => (await user.call('PATCH', `${path}/${record.id}`, values)).status
    expect(await change({ [`${prefix}to`]: '' })).toBe(400)
    await server.server.services.store.db.query(`update ${collection} set ${prefix}to = '' where id = $1`, [
      record.id,
    ])
    expect(await change({ [`${prefix}to`]: '' })).toBe(200)
    expect(await change({ [`${prefix}from`]: '21:00' })).toBe(400)
    expect(await change(fieldsOf('', '', []))).toBe(200)
  })
})

test('texts that wait for the end of quiet hours are looked at again when these change', async () => {
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
    (await db.query(`select count(*) from sms_dispatch where "user" = $1 and due_at > now()`, [user.id]))
      .rows[0]![0]
  await user.call('PATCH', `${path}/${settings.id}`, { default_country: 'DE' })
  expect(await waits()).toBe(1)
  await user.call('PATCH', `${path}/${settings.id}`, { quiet_to: '06:00' })
  expect(await waits()).toBe(0)
})
