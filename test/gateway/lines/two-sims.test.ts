import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSimulatorDriver } from '../../../src/programs/agent/drivers/simulator.ts'
import { pairAgent } from '../../../src/programs/agent/pair-agent.ts'
import { runAgent } from '../../../src/programs/agent/run-agent.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const folder = temporaryFolder()
const server = await startServerWithDevices()

const records = async (user: Client, collection: string, query = '') =>
  (await user.call('GET', `/api/collections/${collection}/records?perPage=100${query}`)).body.items

/** The records, once there are `count`. */
async function whenThere(count: number, ...which: Parameters<typeof records>) {
  await expect.poll(() => records(...which), { timeout: 10_000 }).toHaveLength(count)
  return records(...which)
}

test('the agent reports its SIMs, and each text leaves by the chosen slot', async () => {
  const user = await server.makeUser()
  const { code } = (await user.call('POST', '/api/devices/pairing', {})).body
  const file = join(folder, 'agent.json')
  await pairAgent(server.url, code, { name: '', phone: '', platform: 'simulator' }, () => file)
  const sentFile = join(folder, 'sent')
  const ended = new AbortController()
  const simulator = makeSimulatorDriver({ lagMs: 1, deliveryMs: 1, sentFile, sims: 2 })
  const running = runAgent(file, simulator, () => {}, ended.signal)
  try {
    const lines = await whenThere(2, user, 'lines', '&sort=slot')
    expect(lines.map(({ slot, enabled }: never) => [slot, enabled])).toEqual([
      [1, true],
      [2, true],
    ])
    await user.call('PATCH', `/api/collections/lines/records/${lines[1].id}`, {
      number: '+4915112',
    })
    await user.call('POST', '/api/sms/send', {
      recipients: ['+4915110', '+4915120', '+4915130'],
      body: 'Hi',
    })
    await user.call('POST', '/api/sms/send', {
      recipients: ['+4915140'],
      body: 'Hi',
      from: '+4915112',
    })
    const delivered = '&filter=status="delivered"&expand=line&sort=to'
    const done = await whenThere(4, user, 'sms_messages', delivered)
    const chosen = new Map(
      done.map(({ id, expand }: never) => [id, (expand as { line: { slot: number } }).line.slot]),
    )
    const sent = readFileSync(sentFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(sent.map(({ id, sim }) => [id, sim]).sort()).toEqual([...chosen].sort())
    expect([...chosen.values()].toSorted()).toEqual([1, 1, 2, 2])
    const named = await records(
      user,
      'sms_messages',
      `&filter=${encodeURIComponent('line.number="+4915112"')}`,
    )
    expect(named.every(({ from }: { from: string }) => from === '+4915112')).toBe(true)
    simulator.receive({ from: '+4915999', body: 'Hello', sim: 2 })
    const [incoming] = await whenThere(1, user, 'sms_messages', '&filter=status="received"')
    expect([incoming.line, incoming.to]).toEqual([lines[1].id, '+4915112'])
  } finally {
    ended.abort()
    await running.catch(() => {})
  }
})

test("users cannot create lines, and only the owner can change a line's settings", async () => {
  const user = await server.makeUser()
  const other = await server.makeUser()
  const device = await server.pair(user, { sims: [{ slot: 1 }, { slot: 2 }] })
  const [line] = await records(user, 'lines')
  const path = `/api/collections/lines/records/${line.id}`
  const change = async (by: Client, body: object) => (await by.call('PATCH', path, body)).status
  expect(
    await change(user, { label: 'Shop', daily_limit: 5, prefixes: '+49,+43', enabled: false }),
  ).toBe(200)
  for (const number of ['Acme', '80888', '+4930123'])
    expect(await change(user, { number })).toBe(200)
  for (const number of ['0151 2345678', '+49 30']) expect(await change(user, { number })).toBe(400)
  expect(await change(user, { prefixes: '49' })).toBe(400)
  expect(await change(user, { daily_limit: 'many' })).toBe(400)
  expect(await change(user, { slot: 3 })).toBe(404)
  expect(await change(user, { user: other.id })).toBe(404)
  expect(await change(other, { label: 'x' })).toBe(404)
  expect(await change(server.guest, { label: 'x' })).toBe(404)
  expect(await change(device, { label: 'x' })).toBe(404)
  // one whose SIM is in the device stays
  expect((await user.call('DELETE', path)).status).toBe(404)
  expect(await change(user, { enabled: true })).toBe(200)
  const { body: sent } = await user.call('POST', '/api/sms/send', {
    recipients: ['+491510000001'],
    body: 'Hi',
    line_id: line.id,
  })
  await device.call('POST', '/api/devices/heartbeat', { sims: [{ slot: 3 - line.slot }] })
  for (const by of [other, device, server.guest])
    expect((await by.call('DELETE', path)).status).toBe(404)
  expect((await user.call('DELETE', path)).status).toBe(204)
  const [message] = await records(user, 'sms_messages')
  expect(message.id).toBe(sent.message_ids[0])
  // '' once the server's sweep has taken the text back from a line that is gone
  expect([line.id, '']).toContain(message.line)
  expect(
    (await user.call('POST', '/api/collections/lines/records', { ...line, id: '' })).status,
  ).toBe(403)
  expect(await records(other, 'lines')).toEqual([])
  expect(await records(device, 'lines')).toHaveLength(1)
  expect((await user.call('DELETE', `/api/collections/devices/records/${device.id}`)).status).toBe(
    204,
  )
  expect(await records(user, 'lines')).toEqual([])
})
