import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { freePort } from '../../support/database/postgres.ts'
import { serve } from '../../support/server/program.ts'
import { request } from '../../support/server/request.ts'
import { withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'

// Node gives a server this heap on a machine of 512 MB. Each value of an answer takes as much memory there as
// a long text does, if the server makes an object of it.

const HEAP = '--max-old-space-size=256'
const CONTACTS = 28
const VALUES = 500_000

const env = { HOST: '127.0.0.1', PORT: String(await freePort()) }
const config = await testConfig(env, 'prepared')
const first = await runServer(config, createLogger({ logLevel: 'silent' }))
await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
const fixture = await withDevices(first)
const user = await fixture.makeUser()
await fixture.query(
  `insert into contacts (id, "user", name, phone, data, created, updated)
  select lpad(n::text, 15, '0'), $1, 'Contact', '+49151' || n, ('[' || repeat('1,', $2) || '1]')::json,
    pb_text(now()), pb_text(now())
  from generate_series(1000, 999 + $3::int) n`,
  [user.id, VALUES, CONTACTS],
)
await first.stop()
const program = await serve({ ...env, DATABASE_URL: config.databaseUrl!, NODE_OPTIONS: HEAP })
afterAll(program.stop)

const KEY = { user: user.id, name: 'Shop', scopes: ['messages:send'] }

test.each([
  ['new keys', 5, 'POST', '/api/collections/api_keys/records?expand=user.contacts_via_user', KEY],
  ['lists', 15, 'GET', '/api/collections/contacts/records?perPage=7&fields=id,data', undefined],
])('a server with a small heap survives answers with millions of values: %s', async (...row) => {
  const [, count, method, path, body] = row
  const ask = () => request(program.url, method, path, body, { authorization: user.token })
  const statuses = (await Promise.all(Array.from({ length: count }, ask))).map((one) => one.status)
  expect(statuses).toContain(200)
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  expect(program.hasEnded()).toBe(false)
})
