import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { freePort } from '../../support/database/postgres.ts'
import { serve } from '../../support/server/program.ts'
import { request } from '../../support/server/request.ts'
import { must, withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'
import { makeBreakableProxy } from '../../support/services/breakable-proxy.ts'

// A server is killed while it makes, stores, pauses, changes and resumes a list, and while a reminder is due.
// Another server runs beside it, at which the client repeats what was not answered. KILLS: how many times,
// each time after more answers of the database; 2 unless the nightly run says 40.

const KILLS = Number(process.env.KILLS ?? 2)
const ROWS = 12
/** How many rows get the text before it is changed. */
const EARLY = 4
const BOOKINGS = 3

const config = await testConfig({ PORT: String(await freePort()), HOST: '127.0.0.1' }, 'prepared')
const running = await runServer(config, createLogger(config))
await upsertSuperuser(running.services.store, SUPERUSER.email, SUPERUSER.password)
const other = await withDevices(running)
afterAll(other.stop)
const { query } = other

const shop = await other.makeUser()
const phone = await other.pair(shop)
await must(other.superuser, 'POST', '/api/collections', {
  name: 'bookings',
  type: 'base',
  listRule: 'owner = @request.auth.id',
  fields: [
    { name: 'owner', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 1 },
    { name: 'start', type: 'date' },
    { name: 'phone', type: 'text' },
  ],
})

let pid = 0
let seen = 0
let killedAt = Number.POSITIVE_INFINITY
let isDead = false
const proxy = await makeBreakableProxy(config.databaseUrl!, () => {
  if (++seen === killedAt) kill()
  return isDead
})
await proxy.connect()
afterAll(proxy.disconnect)

function kill() {
  isDead = true
  process.kill(pid, 'SIGKILL')
}

async function start() {
  const env = { HOST: '127.0.0.1', PORT: String(await freePort()), DATABASE_URL: proxy.url }
  isDead = false
  const program = await serve({ ...env, LOG_LEVEL: 'error' })
  onTestFinished(program.stop)
  pid = program.pid
  return program
}

/** The jobs of a killed server run again: their leases end. */
const releaseJobs = () =>
  query(`update _jobs set due_at = now() where due_at < now() + interval '41 seconds'`)

/** Asks a server, and the other one until it takes the request if the first was killed. */
async function ask(url: string, method: string, path: string, body?: object) {
  const headers = { authorization: shop.token, 'idempotency-key': crypto.randomUUID() }
  const tryAt = (at: string) => request(at, method, path, body, headers).catch(() => undefined)
  let answer = isDead ? undefined : await tryAt(url)
  const isTaken = async () => {
    if (answer?.status === 200) return true
    await releaseJobs()
    answer = await tryAt(other.url)
    return answer?.status === 200 || JSON.stringify(answer?.body)
  }
  await expect.poll(isTaken, { timeout: 30_000 }).toBe(true)
  return answer!.body as { readonly id: string }
}

type Task = Readonly<Record<'id' | 'to' | 'body', string>> & { readonly attempt: number }

/** The phone sends what it gets, until it has had so many texts. */
async function take(count: number): Promise<Task[]> {
  const taken: Task[] = []
  const claim = async () => {
    if (isDead) await releaseJobs()
    const { items } = await must(phone, 'POST', '/api/devices/claim', {
      limit: count - taken.length || 1,
    })
    const sent = items.map(({ id, attempt }: Task) => ({ id, attempt, status: 'sent' }))
    if (sent.length > 0) await must(phone, 'POST', '/api/devices/report', { items: sent })
    taken.push(...items)
    return taken.length
  }
  await expect.poll(claim, { timeout: 60_000 }).toBe(count)
  return taken
}

/** A list whose text is changed while it leaves, then a reminder of dates that are near. */
async function send(url: string, round: number) {
  const numberOf = (i: number) => `+49151${String(round).padStart(4, '0')}${1000 + i}`
  const rows = Array.from({ length: ROWS }, (_, n) => ({ to: numberOf(n), values: { n } }))
  const named = { name: `${round}`, hold_seconds: 0 }
  const list = await ask(url, 'POST', '/api/campaigns', { ...named, body: 'Old {{n}}', list: rows })
  const early = await take(EARLY)
  await ask(url, 'POST', `/api/campaigns/${list.id}/pause`)
  await ask(url, 'PATCH', `/api/campaigns/${list.id}`, { body: 'New {{n}}' })
  await ask(url, 'POST', `/api/campaigns/${list.id}/resume`)
  const late = await take(ROWS - EARLY)
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  await query(
    `insert into bookings (id, owner, start, phone) select pb_new_id(), $1, pb_text($2::timestamptz), phone
     from unnest($3::text[]) phone`,
    [shop.id, inAnHour, Array.from({ length: BOOKINGS }, (_, i) => numberOf(ROWS + i))],
  )
  const reminder = await ask(url, 'POST', '/api/campaigns', {
    ...{ ...named, body: 'Soon' },
    reminder: { collection: 'bookings', field: 'start', offset: { hours: 2 } },
  })
  const reminded = await take(BOOKINGS)
  await ask(url, 'POST', `/api/campaigns/${reminder.id}/cancel`)
  await query('delete from bookings')
  return { list: list.id, reminder: reminder.id, numberOf, early, late, reminded }
}

test('each row and each date has its text once, whenever a server is killed', {
  timeout: 60_000 + KILLS * 60_000,
}, async () => {
  let victim = await start()
  let steps = 0
  for (let round = 0; round <= KILLS; round++) {
    if (isDead) victim = await start()
    seen = 0
    if (round > 0) killedAt = Math.ceil((steps * (round - 0.5)) / KILLS)
    const { list, reminder, numberOf, early, late, reminded } = await send(victim.url, round)
    steps ||= seen
    killedAt = Number.POSITIVE_INFINITY
    const numbers = Array.from({ length: ROWS + BOOKINGS }, (_, i) => numberOf(i))
    expect([...early, ...late, ...reminded].map(({ to }) => to).sort(), `${round}`).toEqual(numbers)
    expect(early.every(({ body }) => body.startsWith('Old'))).toBe(true)
    expect(late.every(({ body }) => body.startsWith('New'))).toBe(true)
    if (round > 0 && !isDead) kill()
    await releaseJobs()
    await expect
      .poll(() =>
        query('select count(*) from campaigns where settled and id = any($1)', [[list, reminder]]),
      )
      .toEqual([[2]])
    // nothing more leaves, and each row tells of its text
    expect(await take(0)).toEqual([])
    const stored = await query(
      `select r."to", m.status, r.reason from campaign_recipients r left join sms_messages m on m.id = r.message
       where r.campaign = any($1) order by 1`,
      [[list, reminder]],
    )
    expect(stored).toEqual(numbers.map((to) => [to, 'sent', '']))
    expect(
      await query(`select count(*) from sms_messages where "to" = any($1)`, [numbers]),
    ).toEqual([[numbers.length]])
  }
})
