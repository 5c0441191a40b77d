import type { Db } from '../../../src/platform/db/open.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

// Somebody has changed a table and does not say whether it is to stay so.

const server = await startServerWithDevices()
const { db } = server.server.services.store
const user = await server.makeUser()
await server.pair(user)

const message = { recipients: ['+4915112345678'], body: 'Hello' }
const records = (collection: string) => `/api/collections/${collection}/records`
const asked = () => [
  user.call('POST', '/api/sms/send', message),
  user.call('GET', records('sms_messages')),
  user.call('GET', `${records('sms_messages')}/message00000001`),
]

test.concurrent('a locked table gives 503 to requests that need it and does not affect others', {
  timeout: 120_000,
}, async () => {
  await db.transaction(async (inside) => {
    await inside.query('lock table sms_messages in access exclusive mode')
    const waiting = Promise.all(asked())
    expect((await user.call('GET', records('contacts'))).status).toBe(200)
    const answers = await waiting
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
    for (const { body } of answers)
      expect(body.message).toMatch(/^A change that takes long is under way/)
  })
  const after = await Promise.all(asked())
  expect(after.map(({ status }) => status)).toEqual([200, 200, 404])
  expect((await user.call('GET', records('sms_messages'))).body.totalItems).toBe(1)
})

test.concurrent('a lock timeout ends the statement but keeps the connection', {
  timeout: 120_000,
}, async () => {
  const pids = new Set<unknown>()
  const work = (inside: Db) =>
    inside.query('select pg_backend_pid()').then(({ rows }) => {
      pids.add(rows[0]![0])
      return inside.query('select 1 from contact_groups limit 1')
    })
  await db.transaction(async (inside) => {
    await inside.query('lock table contact_groups in access exclusive mode')
    await expect(db.transaction(work)).rejects.toMatchObject({
      name: 'DatabaseLocked',
      status: 503,
    })
    // on this connection: requests of the test above use all others
    const { rows } = await inside.query(
      'select pid from pg_stat_activity where pid = any($1::int[])',
      [[...pids]],
    )
    expect(rows).toEqual([...pids].map((pid) => [pid]))
  })
})

test('lock timeouts do not apply to statements that may wait', async () => {
  const LIMIT = 'show lock_timeout'
  expect((await db.query(LIMIT)).rows).toEqual([['10s']])
  expect((await db.unhurried(LIMIT)).rows).toEqual([['0']])
})
