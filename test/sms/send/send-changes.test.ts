import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServerWithUsers, startServerWithUsers } from '../../support/server/server-with-users.ts'

let server: ServerWithUsers
beforeAll(async () => {
  server = await startServerWithUsers()
})
afterAll(() => server.stop())

const noted = (since: unknown) =>
  server.rows('select collection, action, record from _changes where position > $1 order by position', [
    since,
  ])
const position = async () => (await server.rows('select coalesce(max(position), 0) from _changes'))[0]![0]

test('while somebody listens, messages and usage are told, in their transaction', async () => {
  await server.rows(`insert into _listeners (node) values ('test')`)
  const start = await position()
  const { body } = await server.send({ recipients: ['+4911111', '+4922222'] })
  const [usage] = await server.rows('select id from sms_usage')
  const created = body.message_ids.map((id: string) => ['sms_messages', 'create', id])
  expect(await noted(start)).toEqual([...created, ['sms_usage', 'create', usage![0]]])

  const middle = await position()
  const [id] = (await server.send()).body.message_ids
  await server.ask('POST', `messages/${id}/cancel`)
  const [event] = await server.rows('select id from sms_events where message = $1', [id])
  const told = await noted(middle)
  expect(told).toHaveLength(5)
  expect(told).toEqual(
    expect.arrayContaining([
      ['sms_messages', 'create', id],
      ['sms_usage', 'update', usage![0]],
      ['sms_messages', 'update', id],
      ['sms_events', 'create', event![0]],
    ]),
  )
})

test('while nobody listens, nothing is written', async () => {
  await server.rows('delete from _listeners')
  const start = await position()
  await server.send()
  expect(await noted(start)).toEqual([])
})
