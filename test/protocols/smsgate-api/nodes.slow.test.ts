import { createDatabase, freePort } from '../../support/database/postgres.ts'
import { serve } from '../../support/server/program.ts'
import { startSmsgateApiFixture } from '../../support/smsgate/smsgate-api-fixture.ts'

const server = process.env.TEST_POSTGRES_URL

test('of concurrent sends with one id on two nodes one is accepted', async () => {
  const DATABASE_URL = await createDatabase(server!, `test_smsgate_nodes_${Date.now()}`)
  const fixture = await startSmsgateApiFixture({ DATABASE_URL })
  const port = String(await freePort())
  const other = await serve({ DATABASE_URL, HOST: '127.0.0.1', PORT: port, LOG_LEVEL: 'warn' })
  for (let round = 0; round < 10; round++) {
    const body = JSON.stringify({ id: `round ${round}`, message: 'Hi', phoneNumbers: ['+4911111'] })
    const headers = { ...fixture.ann, 'content-type': 'application/json' }
    const send = (url: string) =>
      fetch(`${url}/3rdparty/v1/messages`, { method: 'POST', headers, body })
    const answers = await Promise.all([fixture.server.url, other.url].map(send))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409])
  }
  expect(await fixture.server.rows('select count(*)::int from sms_messages')).toEqual([[10]])
}, 120_000)
