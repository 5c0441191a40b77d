import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pair } from '../../../src/agent/pair.ts'
import { runAgent } from '../../../src/agent/run.ts'
import { Simulator } from '../../../src/agent/simulator.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { joinPhone } from '../../support/smsgate/smsgate-fixture.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

const server = stopAfterAll(await startServerWithDevices())

const records = async (user: Client, collection: string, query = '') =>
  (await user.call('GET', `/api/collections/${collection}/records?perPage=100${query}`)).body.items
const slotsOf = (messages: readonly { id: string; expand: { line: { slot: number } } }[]) =>
  messages.map(({ id, expand }): [string, number] => [id, expand.line.slot]).sort()

test('the agent tells its SIMs, and each text leaves by the slot that was chosen', async () => {
  const user = await server.makeUser()
  const { code } = (await user.call('POST', '/api/devices/pairing', {})).body
  const folder = temporaryFolder()
  const file = join(folder, 'agent.json')
  await pair(server.url, code, { name: '', phone: '', platform: 'simulator' }, () => file)
  const sentFile = join(folder, 'sent')
  const ended = new AbortController()
  const simulator = new Simulator({ lagMs: 1, deliveryMs: 1, sentFile, sims: 2 })
  const running = runAgent(file, simulator, () => {}, ended.signal)
  try {
    const linesOf = () => records(user, 'lines', '&sort=slot')
    await expect.poll(linesOf).toMatchObject([
      { slot: 1, enabled: true },
      { slot: 2, enabled: true },
    ])
    const [, second] = await linesOf()
    await user.call('PATCH', `/api/collections/lines/records/${second.id}`, { number: '+4915112' })
    await user.call('POST', '/api/sms/send', { recipients: ['+491511', '+491512', '+491513'], body: 'Hi' })
    await user.call('POST', '/api/sms/send', { recipients: ['+491514'], body: 'Hi', from: '+4915112' })
    const delivered = () => records(user, 'sms_messages', '&filter=status="delivered"&expand=line')
    await expect.poll(delivered).toHaveLength(4)
    const chosen = slotsOf(await delivered())
    const sent = readFileSync(sentFile, 'utf8').trim().split('\n')
    const left = sent.map((line) => JSON.parse(line)).map(({ id, sim }) => [id, sim])
    expect(left.sort()).toEqual(chosen)
    expect(chosen.map(([, slot]) => slot).sort()).toEqual([1, 1, 2, 2])
    const byIt = `&filter=${encodeURIComponent('line.number="+4915112"')}`
    for (const { from } of await records(user, 'sms_messages', byIt)) expect(from).toBe('+4915112')
    simulator.receive({ from: '+4915999', body: 'Hello', sim: 2 })
    await expect
      .poll(() => records(user, 'sms_messages', '&filter=status="received"'))
      .toMatchObject([{ line: second.id, to: '+4915112' }])
  } finally {
    ended.abort()
    await running.catch(() => {})
  }
})

test('a phone with the SMSGate app is told the slot that was chosen, and its texts have their line', async () => {
  const user = await server.makeUser()
  const phone = await joinPhone({ mobileUrl: `${server.url}/api/mobile/v1` }, user)
  const simCards = [1, 2].map((simNumber) => ({ slotIndex: simNumber - 1, simNumber }))
  await phone.call('PATCH', '/device', { id: phone.store.registration!.id, simCards })
  for (const sim of [2, 1])
    await user.call('POST', '/api/sms/send', { recipients: [`+49151${sim}`], body: 'Hi', sim })
  await user.call('POST', '/api/sms/send', { recipients: ['+491513', '+491514'], body: 'Hi' })
  const pulled = (await phone.call('GET', '/message')).body as { phoneNumbers: string[]; simNumber: number }[]
  const slots = new Map(pulled.map(({ phoneNumbers, simNumber }) => [phoneNumbers[0], simNumber]))
  expect([slots.get('+491511'), slots.get('+491512')]).toEqual([1, 2])
  expect([slots.get('+491513'), slots.get('+491514')].toSorted()).toEqual([1, 2])

  phone.start()
  await expect
    .poll(() => [phone.store.webhooks.length > 0, 'webhooks' in phone.store.settings])
    .toEqual([true, true])
  for (const simNumber of [1, 2])
    phone.receive({ sender: '+491701234567', text: 'Hi', receivedAt: Date.now() - simNumber, simNumber })
  await expect
    .poll(() => records(user, 'sms_messages', '&filter=status="received"&expand=line&sort=sim'))
    .toMatchObject([1, 2].map((slot) => ({ sim: slot, expand: { line: { slot } } })))
  phone.kill()
})

test('nobody creates lines, and only their owner changes what is theirs', async () => {
  const user = await server.makeUser()
  const other = await server.makeUser()
  const device = await server.pair(user, { sims: [{ slot: 1 }, { slot: 2 }] })
  const [line] = await records(user, 'lines')
  const path = `/api/collections/lines/records/${line.id}`
  const change = async (by: Client, body: object) => (await by.call('PATCH', path, body)).status
  expect(await change(user, { label: 'Shop', daily_limit: 5, prefixes: '+49,+43', enabled: false })).toBe(200)
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
  for (const by of [other, device, server.guest]) expect((await by.call('DELETE', path)).status).toBe(404)
  expect((await user.call('DELETE', path)).status).toBe(204)
  const [message] = await records(user, 'sms_messages')
  expect([message.id, message.line]).toEqual([sent.message_ids[0], line.id])
  expect((await user.call('POST', '/api/collections/lines/records', { ...line, id: '' })).status).toBe(403)
  expect(await records(other, 'lines')).toEqual([])
  expect(await records(device, 'lines')).toHaveLength(1)
  expect((await user.call('DELETE', `/api/collections/devices/records/${device.id}`)).status).toBe(204)
  expect(await records(user, 'lines')).toEqual([])
})
