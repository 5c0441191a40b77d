import { setTimeout as sleep } from 'node:timers/promises'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

// Users who ask for what takes hours hurt nobody but themselves.

const server = await startServerWithDevices({ CLIENT_STATEMENT_SECONDS: '5', DATABASE_POOL: '4' })
const [hostile, victim] = [await server.makeUser(), await server.makeUser()]
const phone = await server.pair(victim)
await server.server.services.store.db.query(
  `insert into contacts (id, "user", name, phone)
  select 'contact' || lpad(i::text, 8, '0'), $1, 'name ' || i, '+4915100' || lpad(i::text, 8, '0') from generate_series(1, 1000) i`,
  [hostile.id],
)

const PATH = 'user.contacts_via_user.user.contacts_via_user.user.contacts_via_user'
const SLOW = `/api/collections/contacts/records?filter=${encodeURIComponent(`${PATH}.name ?= 'x' && ${PATH}.phone ?~ name`)}`
/** The machine may be busy. */
const PATIENCE = { timeout: 20_000 }
const use = () => server.server.services.store.db.clientUse

/** How soon a client that was refused asks again. */
const REFUSED_PAUSE_MS = 50

/** Asks for it so many times, again and again, does `work`, then hangs up. */
async function whileAsking(
  count: number,
  path: string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const connection = new AbortController()
  const headers = { authorization: hostile.token }
  const { signal } = connection
  const ask = async () => {
    // one that waits too long is refused
    while (!signal.aborted) {
      const answer = await fetch(server.url + path, { headers, signal }).catch(() => undefined)
      if (answer?.status === 429) await sleep(REFUSED_PAUSE_MS)
    }
  }
  const asked = Array.from({ length: count }, ask)
  try {
    await expect.poll(() => use()?.running, PATIENCE).toBeGreaterThan(0)
    await work(connection.signal)
    // all this happened while they were at work
    await expect.poll(() => use()?.running, PATIENCE).toBeGreaterThan(0)
  } finally {
    connection.abort()
    await Promise.all(asked)
  }
  await expect.poll(use, PATIENCE).toEqual({ running: 0, waiting: 0 })
}

test.each([
  ['lists', SLOW],
  ['exports', SLOW.replace('/records?', '/export?')],
])(
  'slow %s of one user do not delay sends, claims, sign-ins or lists of another',
  async (name, path) => {
    await whileAsking(40, path, async () => {
      const sent = await victim.call('POST', '/api/sms/send', {
        recipients: ['+4915112345678'],
        body: name,
      })
      expect(sent.status).toBe(200)
      const claimed = await phone.call('POST', '/api/devices/claim', { limit: 5 })
      expect(claimed.body.items).toContainEqual(expect.objectContaining({ body: name }))
      await server.makeUser() // signs in, too
      expect((await victim.call('GET', '/api/health')).status).toBe(200)
      const filter = encodeURIComponent("phone ~ '77' || name = 'a'")
      const list = await victim.call('GET', `/api/collections/contacts/records?filter=${filter}`)
      expect([list.status, list.body.items, list.body.message]).toEqual([200, [], undefined])
    })
  },
)

test('many new filter shapes are refused while known ones are answered', async () => {
  const user = await server.makeUser()
  const list = (filter: string, who = user) =>
    who.call('GET', `/api/collections/contacts/records?filter=${encodeURIComponent(filter)}`)
  const known = "name = 'x' && phone = 'y'"
  expect((await list(known)).status).toBe(200)
  const shape = (i: number) =>
    Array.from({ length: 100 }, (_, k) => `phone${(i >> (k % 9)) % 2 ? '~' : '!~'}name`).join('&&')
  const answers = await Promise.all(Array.from({ length: 250 }, (_, i) => list(shape(i))))
  const count = (status: number) => answers.filter((answer) => answer.status === status).length
  expect(count(200)).toBeGreaterThanOrEqual(100)
  expect(count(429)).toBe(250 - count(200))
  expect(count(429)).toBeGreaterThan(0)
  expect((await list(known)).status).toBe(200)
  expect((await list(shape(100), server.superuser)).status).toBe(200)
})
