import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import type { MessageAttempt } from '../../../src/gateway/messages/queue/message-leases.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { TestListener } from '../../engine/realtime/test-listener.ts'
import { tablesWith } from '../../support/database/dump.ts'
import { runServer } from '../../support/database/open.ts'
import { client, must, withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { until } from '../../support/until.ts'

// Two servers on one Postgres, and everything that they say.

const said: string[] = []
const log = createLogger({ logLevel: 'debug' }, { write: (line: string) => void said.push(line) })
const config = await testConfig({ WEBHOOK_ALLOW_PRIVATE: 'true', DATABASE_POOL: '16' }, 'prepared')
const one = await runServer(config, log)
await upsertSuperuser(one.services.store, SUPERUSER.email, SUPERUSER.password)
const fixture = await withDevices(one)
const two = await runServer(config, log)
const receiver = await startReceiver()
const user = await fixture.makeUser()
const phone = await fixture.pair(user)
const nodes = [user, client(two.url, user.id, user.token)]

const { db } = one.services.store
const count = async (table: string, where = 'true') =>
  Number((await fixture.query(`select count(*) from ${table} where ${where}`))[0]![0])
/** Asks both servers at once, `times` in all. */
const ask = (times: number, path: string, bodyOf: (i: number) => object) =>
  Promise.all(Array.from({ length: times }, (_, i) => nodes[i % 2]!.call('POST', path, bodyOf(i))))
/** Asks by 20 at a time. */
async function askAll(times: number, path: string, bodyOf: (i: number) => object) {
  const answers = []
  for (let at = 0; at < times; at += 20)
    answers.push(...(await ask(20, path, (i) => bodyOf(at + i))))
  return answers
}
/** Takes all texts, and once `before` is through, reports them as sent. The codes by number. */
async function receiveAll(
  before?: (codes: string[]) => Promise<void>,
): Promise<Map<string, string>> {
  const codes = new Map<string, string>()
  const take = async () => (await must(phone, 'POST', '/api/devices/claim', { limit: 100 })).items
  for (let items = await take(); items.length > 0; items = await take()) {
    const taken = items.map(({ to, body }: { to: string; body: string }) => [
      to,
      /\d{6,10}/.exec(body)![0],
    ])
    for (const [to, code] of taken) codes.set(to, code)
    await before?.(taken.map(([, code]: string[]) => code))
    const sent = items.map(({ id, attempt }: MessageAttempt) => ({ id, attempt, status: 'sent' }))
    await must(phone, 'POST', '/api/devices/report', { items: sent })
  }
  return codes
}

test('of 60 concurrent checks of a code five count and at most one succeeds', async () => {
  for (const rightOnes of [0, 20]) {
    const to = `+491760000000${rightOnes}`
    await must(user, 'POST', '/api/verify', { to })
    const code = (await receiveAll()).get(to)!
    const wrong = code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))
    const answers = await ask(60, '/api/verify/check', (i) => ({
      to,
      code: i < rightOnes ? code : wrong,
    }))
    const counted = new Map<string, number>()
    for (const { body } of answers) counted.set(body.status, (counted.get(body.status) ?? 0) + 1)
    const select = `select attempts, status from verifications where "to" = $1`
    const [[attempts, status]] = (await fixture.query(select, [to])) as [[number, string]]
    const approved = counted.get('approved') ?? 0
    expect(approved).toBe(status === 'approved' ? 1 : 0)
    expect(attempts).toBe((counted.get('pending') ?? 0) + 1)
    if (rightOnes === 0) expect([attempts, status]).toEqual([5, 'max_attempts_reached'])
    else expect(attempts).toBeLessThanOrEqual(5)
  }
})

test('60 concurrent starts for a number send one code, and five an hour if each is canceled', async () => {
  const to = '+4917600000001'
  const first = await askAll(60, '/api/verify', () => ({ to }))
  expect(first.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(new Set(first.map(({ body }) => body.error))).toEqual(
    new Set([undefined, 'resend_too_soon']),
  )
  expect(await count('sms_messages', `"to" = '${to}'`)).toBe(1)
  for (let round = 0; round < 8; round++) {
    await ask(2, '/api/verify/cancel', () => ({ to }))
    await fixture.query(`delete from auth_tries where key like '% pause'`)
    await ask(10, '/api/verify', () => ({ to }))
  }
  expect(await count('sms_messages', `"to" = '${to}'`)).toBe(5)
})

test('a code is in no log, webhook, export, table, event or error', async () => {
  const logs = { minLevel: -10, logIP: true, logAuthId: true }
  await must(fixture.superuser, 'PATCH', '/api/settings', { logs })
  const events = ['message.sent']
  const hook = { user: user.id, url: receiver.url, events }
  await must(user, 'POST', '/api/collections/webhooks/records', hook)
  const names = ['sms_messages', 'sms_events', 'verifications', 'conversations']
  const listener = await TestListener.on(
    fixture.url,
    user.token,
    ...names.map((name) => `${name}/*`),
  )
  const numbers = Array.from({ length: 60 }, (_, i) => `+4915100${10_000 + i}`)
  const startOf = (i: number) => ({ to: numbers[i]!, length: 10, origin: 'example.com' })
  const started = await askAll(numbers.length, '/api/verify', startOf)
  expect(started.filter(({ status }) => status !== 200)).toEqual([])
  const codes = await receiveAll(async (known) => expect(await tablesWith(db, known)).toEqual([]))
  expect(codes.size).toBe(numbers.length)
  const asked = [...codes].slice(0, 30).flatMap(([to, code]) => [
    { to: code, code: [code] },
    { id: 'x', to, code },
    { to, code },
  ])
  const checks = asked.map((body) => user.call('POST', '/api/verify/check', body))
  const refused = (await Promise.all(checks)).map(({ body }) => body)
  const headers = { authorization: user.token }
  const lists: string[] = []
  for (const name of names)
    lists.push(
      await (await fetch(`${fixture.url}/api/collections/${name}/export`, { headers })).text(),
    )
  await until('the webhooks', () => receiver.told.length >= numbers.length)
  const changed = () => listener.heard.filter(({ event }) => event === 'verifications/*').length
  await until('the events', () => changed() >= numbers.length + 30)
  await listener.close()
  const all = JSON.stringify([said, receiver.told, listener.raw, lists, started, refused])
  for (const code of codes.values()) if (all.includes(code)) expect.fail(`${code} was told`)
  expect(await tablesWith(db, [...codes.values()])).toEqual([])
  expect(said.length).toBeGreaterThan(0)
  expect(await count('_logs')).toBeGreaterThan(numbers.length)
  expect(lists[0]).toContain('••••••')
})
