import parse, { type Family, type Sample } from 'parse-prometheus-text-format'
import type { MessageAttempt } from '../../../src/gateway/messages/queue/message-leases.ts'
import { PAGES, readPage } from '../../docs/page.ts'
import { TestListener } from '../../engine/realtime/test-listener.ts'
import { openStream, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const TOKEN = 'a-token-for-prometheus'
const TO = '+4915112345678'

/** All metrics when the server had just started. */

const ask = (token = TOKEN) =>
  fetch(`${server.url}/metrics`, {
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
  })

async function scrape(): Promise<Map<string, Family>> {
  const text = await (await ask()).text()
  return new Map(parse(text).map((family) => [family.name, family]))
}

const has = (labels: Record<string, string>) => (sample: Sample) =>
  Object.entries(labels).every(([name, value]) => sample.labels?.[name] === value)

/**
 * The value of a metric, summed up over all labels that are not named; after a second, when figures are kept.
 * Of a counter, what was added since the file began: the process has counted for other files before.
 */
async function value(name: string, labels: Record<string, string> = {}): Promise<number> {
  const family = (await scrape()).get(name)
  const before = family?.type === 'COUNTER' ? atStart.get(name) : undefined
  return sum(family, labels) - sum(before, labels)
}

function sum(family: Family | undefined, labels: Record<string, string>): number {
  const samples = family?.metrics.filter(has(labels)) ?? []
  return samples.reduce((sum, sample) => sum + Number(sample.value ?? sample.count), 0)
}

const send = (body: object) =>
  user.call('POST', '/api/sms/send', { recipients: [TO], body: 'Hello', ...body })

const server = await startServerWithDevices({ METRICS_TOKEN: TOKEN, WEBHOOK_ALLOW_PRIVATE: 'true' })
const atStart = await scrape()
const user = await server.makeUser()
const device = await server.pair(user)

describe('metrics', () => {
  test.each<[who: string, token: () => string, status: number]>([
    ['nobody', () => '', 401],
    ['a wrong token', () => 'a-token-for-prometheuS', 401],
    ['a user', () => user.token, 403],
    ['a device', () => device.token, 403],
    ['a superuser', () => server.superuser.token, 200],
    ['the token of the settings', () => TOKEN, 200],
  ])('metrics are answered to %s with status $2', async (_, token, status) => {
    expect((await ask(token())).status).toBe(status)
  })

  test('metrics refuse a wrong token without a reason', async () => {
    const answer = await ask('')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(await answer.json()).toMatchObject({ status: 401 })
  })
})

test("metrics have Prometheus's format, each with a kind and listed once", async () => {
  const answer = await ask()
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const families = parse(await answer.text())
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length)
  expect(families.filter(({ type, help }) => type === 'UNTYPED' || help === '')).toEqual([])
  const ours = families.filter(
    ({ name, type }) => name.startsWith('pocketsms_') && type !== 'HISTOGRAM',
  )
  const values = ours.flatMap(({ metrics }) => metrics.map((sample) => Number(sample.value)))
  expect(values.filter((number) => !Number.isFinite(number))).toEqual([])
})

test('a row of docs/operations.md, or of the page of its feature, explains each metric of a server', async () => {
  const rows = PAGES.flatMap((page) => readPage(page).match(/^\| `pocketsms_.*$/gm) ?? [])
  // the others are there with several workers or a replica: test/platform/jobs and test/platform/db/replica
  const isAlways = (name: string) => !/^pocketsms_(worker|replica)_/.test(name)
  const explained = rows.flatMap((row) => row.match(/(?<=`)pocketsms_\w+/g) ?? []).filter(isAlways)
  const told = [...(await scrape()).keys()].filter((name) => name.startsWith('pocketsms_'))
  expect(explained.sort()).toEqual(told.sort())
})

test('requests are counted by group, method and status, without ids or paths as labels', async () => {
  const list = { group: 'records', method: 'GET', status: '200' }
  const [before, missing] = [
    await value('pocketsms_http_requests_total', list),
    await value('pocketsms_http_requests_total', { ...list, status: '404' }),
  ]
  for (let i = 0; i < 3; i++) await user.call('GET', '/api/collections/contacts/records?page=1')
  await user.call('GET', '/api/collections/contacts/records/k3v9x0c2m5n8b1a')
  expect(await value('pocketsms_http_requests_total', list)).toBe(before + 3)
  expect(await value('pocketsms_http_requests_total', { ...list, status: '404' })).toBe(missing + 1)
  await fetch(server.url, { method: 'PROPFIND' })
  await fetch(`${server.url}/api/nothing/k3v9x0c2m5n8b1a`)
  const text = await (await ask()).text()
  expect(text).not.toContain('k3v9x0c2m5n8b1a')
  expect(text).not.toContain('PROPFIND')
})

/** A histogram of some labels alone: the parser takes a metric for one histogram. */
async function histogram(name: string, labels: string): Promise<Sample> {
  const lines = (await (await ask()).text()).split('\n')
  const own = lines.filter((line) => line.startsWith('# ') || line.includes(labels))
  const text = own.join('\n').replaceAll(labels, '').replaceAll('{,', '{').replaceAll('{}', '')
  return parse(text).find((family) => family.name === name)!.metrics[0]!
}

test('the buckets of request durations add up to the number of requests', async () => {
  const requests = await value('pocketsms_http_requests_total', { group: 'records', method: 'GET' })
  const durations = await histogram(
    'pocketsms_http_request_duration_seconds',
    'group="records",method="GET"',
  )
  const buckets = Object.entries(durations.buckets!).sort(([a], [b]) => Number(a) - Number(b))
  const counts = buckets.filter(([end]) => end !== '+Inf').map(([, count]) => Number(count))
  expect(counts).toEqual([...counts].sort((a, b) => a - b))
  expect(durations.buckets!['+Inf']).toBe(String(requests))
  expect(durations.count).toBe(String(requests))
  expect(Number(durations.sum)).toBeGreaterThan(0)
})

test('filters that are found compiled are counted', async () => {
  const filter = encodeURIComponent('name ~ "metrics" && phone != ""')
  const [hits, misses] = await Promise.all(
    ['hit', 'miss'].map((cache) => value('pocketsms_filter_compilations_total', { cache })),
  )
  for (let i = 0; i < 4; i++)
    await user.call('GET', `/api/collections/contacts/records?filter=${filter}`)
  expect(await value('pocketsms_filter_compilations_total', { cache: 'miss' })).toBe(misses! + 1)
  expect(await value('pocketsms_filter_compilations_total', { cache: 'hit' })).toBe(hits! + 3)
  expect(await value('pocketsms_filter_cache_entries')).toBeGreaterThan(0)
})

test('the metrics of the queue follow a message from its acceptance to its report', async () => {
  const stream = await openStream(server.url, device.token)
  await send({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() })
  const { message_ids } = (await send({})).body
  await stream.next('wake')
  const depth = (state: string): Promise<number> => value('pocketsms_queue_messages', { state })
  await expect.poll(() => depth('assigned')).toBe(1)
  expect(await depth('pending')).toBe(1)
  expect(await value('pocketsms_queue_due_messages', { state: 'assigned' })).toBe(1)
  expect(await value('pocketsms_queue_due_messages', { state: 'pending' })).toBe(0)
  const oldest = () => value('pocketsms_queue_oldest_seconds', { state: 'assigned' })
  await expect.poll(oldest).toBeGreaterThan(1)

  const { items } = (await device.call('POST', '/api/devices/claim', { limit: 5 })).body
  expect(items).toHaveLength(1)
  const report = { id: message_ids[0], attempt: 1, status: 'sent' }
  for (const id of [report.id, report.id, 'k3v9x0c2m5n8b1a'])
    await device.call('POST', '/api/devices/report', { items: [{ ...report, id }] })

  expect(await value('pocketsms_messages_accepted_total')).toBe(2)
  expect(await value('pocketsms_accept_commits_total')).toBe(2)
  expect(await value('pocketsms_claims_total')).toBe(1)
  expect(await value('pocketsms_messages_claimed_total')).toBe(1)
  for (const result of ['applied', 'unchanged', 'not_found'])
    expect([result, await value('pocketsms_reports_total', { result })]).toEqual([result, 1])
  expect(await value('pocketsms_wakes_total', { way: 'stream' })).toBeGreaterThanOrEqual(1)
  await expect.poll(() => depth('assigned')).toBe(0)
  await stream.close()
})

test('metrics count woken claims', async () => {
  const claimWhile = async (work: () => Promise<unknown>) => {
    const waiting = device.call('POST', '/api/devices/claim', { limit: 5, wait: 10 })
    await work()
    const { items } = (await waiting).body
    expect(items).toHaveLength(1)
    const sent = items.map(({ id, attempt }: MessageAttempt) => ({ id, attempt, status: 'sent' }))
    await device.call('POST', '/api/devices/report', { items: sent })
  }
  // a claim that comes after the message has not waited
  await expect
    .poll(async () => {
      await claimWhile(() => send({}))
      return value('pocketsms_wakes_total', { way: 'long_poll' })
    })
    .toBeGreaterThan(0)
})

test.each([
  ['invalid_phone_number', { recipients: ['nobody'] }],
  ['body_too_long', { body: 'x'.repeat(1601) }],
  ['device_not_found', { device_id: 'k3v9x0c2m5n8b1a' }],
] as const)('metrics count sends refused with %s', async (code, body) => {
  await send(body)
  expect(await value('pocketsms_sends_refused_total', { code })).toBe(1)
})

test('metrics count realtime connections and events', async () => {
  const ear = await TestListener.on(server.url, user.token, 'contacts')
  expect(await value('pocketsms_realtime_clients')).toBe(1)
  await user.call('POST', '/api/collections/contacts/records', {
    user: user.id,
    name: 'Ann',
    phone: TO,
  })
  await ear.next(1)
  expect(await value('pocketsms_realtime_events_total')).toBe(1)
  await ear.close()
  await expect.poll(() => value('pocketsms_realtime_clients')).toBe(0)
  expect(await value('pocketsms_http_requests_total', { group: 'streams' })).toBeGreaterThan(0)
})

test('metrics count failed webhook deliveries', async () => {
  const hook = {
    user: user.id,
    url: 'http://127.0.0.1:9/hook',
    events: ['message.sent'],
    enabled: true,
  }
  expect((await user.call('POST', '/api/collections/webhooks/records', hook)).status).toBe(200)
  const [id] = (await send({})).body.message_ids
  const { items } = (await device.call('POST', '/api/devices/claim', { limit: 5 })).body
  const { attempt } = items.find((item: { id: string }) => item.id === id)
  await device.call('POST', '/api/devices/report', { items: [{ id, attempt, status: 'sent' }] })
  await expect.poll(() => value('pocketsms_webhook_deliveries_pending')).toBe(1)
  expect(await value('pocketsms_webhook_lag_seconds')).toBeLessThan(60)
})

test('metrics describe the process and its database connections', async () => {
  const families = await scrape()
  for (const name of [
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_seconds',
    'nodejs_heap_size_used_bytes',
  ])
    expect(Number(families.get(name)?.metrics[0]?.value)).toBeGreaterThan(0)
  const pool = families
    .get('pocketsms_database_connections')!
    .metrics.map(({ labels }) => labels?.state)
  expect(pool).toEqual(['busy', 'idle', 'waiting'])
})
