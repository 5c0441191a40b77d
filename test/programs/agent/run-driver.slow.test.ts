import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { UserError } from '../../../src/platform/api-errors.ts'
import { loadAgentState, saveState } from '../../../src/programs/agent/agent-state.ts'
import { makeHttpDriver } from '../../../src/programs/agent/drivers/http/driver.ts'
import {
  makeSimulatorDriver,
  type SimulatorOptions,
} from '../../../src/programs/agent/drivers/simulator.ts'
import { pairAgent, readPairing } from '../../../src/programs/agent/pair-agent.ts'
import { runAgent } from '../../../src/programs/agent/run-agent.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { CLI } from '../../support/server/program-files.ts'
import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { settingsOf } from './drivers/http/carrier-fixture.ts'

const server = await startServerWithDevices({ LEASE_SECONDS: '60' })
const folder = temporaryFolder()

let files = 0
interface Setup {
  readonly user: Client
  readonly file: string
  readonly device: string
}

/** A user, and a phone of theirs that is paired but switched off. */
async function setUp(): Promise<Setup> {
  const user = await server.makeUser()
  const { code } = (await user.call('POST', '/api/devices/pairing', { name: 'Phone' })).body
  const file = join(folder, `agent${++files}.json`)
  const { device } = await pairAgent(
    server.url,
    code,
    { name: '', phone: '', platform: 'simulator' },
    () => file,
  )
  return { user, file, device }
}

/** Runs an agent in this process while `work` does something. */
async function whileRunning<T>(
  file: string,
  options: Partial<SimulatorOptions>,
  work: () => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  const simulator = makeSimulatorDriver({ lagMs: 5, deliveryMs: 10, ...options })
  const running = runAgent(file, simulator, () => {}, ended.signal)
  try {
    return await Promise.race([
      work(),
      running.then(() => Promise.reject(new Error('the agent ended'))),
    ])
  } finally {
    ended.abort()
    await running.catch(() => {})
  }
}

async function send(user: Client, count: number, more: object = {}): Promise<string[]> {
  const recipients = Array.from({ length: count }, (_, i) => `+4915${1000 + i}`)
  const { body } = await user.call('POST', '/api/sms/send', { recipients, body: 'Hello', ...more })
  return body.message_ids
}

const statusesOf = async (user: Client): Promise<string[]> => {
  const { body } = await user.call('GET', '/api/collections/sms_messages/records?perPage=500')
  return body.items.map(({ status }: { status: string }) => status)
}
async function untilAll(
  user: Client,
  isDone: (status: string) => boolean,
  withinMs = 40_000,
): Promise<string[]> {
  for (const end = Date.now() + withinMs; ; await sleep(50)) {
    const statuses = await statusesOf(user)
    if (statuses.length > 0 && statuses.every(isDone)) return statuses
    if (Date.now() > end) throw new Error(`after ${withinMs} ms: ${statuses.join(' ')}`)
  }
}
const sentOrNot = (status: string) => (status === 'delivered' ? 'sent' : status)
const isFinal = (status: string) => status === 'delivered' || status === 'failed'

describe('an agent', () => {
  test('an agent stores its token in a file that only its owner can read', async () => {
    const { file } = await setUp()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(loadAgentState(file).url).toBe(server.url)
  })

  test('an agent sends waiting and new messages and reports their deliveries', async () => {
    const { user, file } = await setUp()
    await send(user, 25)
    await whileRunning(file, {}, async () => {
      await untilAll(user, (status) => status === 'delivered')
      await send(user, 5)
      expect(await untilAll(user, (status) => status === 'delivered')).toHaveLength(30)
    })
  })

  test('an agent reports why a message failed', async () => {
    const { user, file } = await setUp()
    const [id] = await send(user, 1)
    await whileRunning(file, { fail: 1 }, () => untilAll(user, isFinal))
    const { body } = await user.call('GET', `/api/collections/sms_messages/records/${id}`)
    expect(body).toMatchObject({ status: 'failed', error_message: 'Rejected (simulated)' })
  })

  test('an agent returns messages that it could not send, and another device sends them', async () => {
    const { user, file } = await setUp()
    const { code } = (await user.call('POST', '/api/devices/pairing', { name: 'Other' })).body
    const other = join(folder, `agent${++files}.json`)
    await send(user, 4)
    await pairAgent(server.url, code, { name: '', phone: '', platform: 'simulator' }, () => other)
    await whileRunning(file, { refuse: 1 }, () =>
      whileRunning(other, {}, () => untilAll(user, (status) => status === 'delivered')),
    )
  })

  test('an agent stores the true time of sending although its clock is a day behind', async () => {
    const { user, file } = await setUp()
    const [id] = await send(user, 1)
    await whileRunning(file, { clockOffset: -86_400 }, () => untilAll(user, isFinal))
    const { body } = await user.call('GET', `/api/collections/sms_messages/records/${id}`)
    expect(body.status).toBe('delivered')
    expect(Math.abs(Date.parse(body.sent_at) - Date.now())).toBeLessThan(120_000)
  })

  test('an agent stops with a plain message when its device was deleted', async () => {
    const { user, file, device } = await setUp()
    await user.call('DELETE', `/api/collections/devices/records/${device}`)
    const running = runAgent(file, makeSimulatorDriver(), () => {}, new AbortController().signal)
    await expect(running).rejects.toThrow('The server does not know this device. Delete')
  })

  test('an agent locks its state file while it runs', async () => {
    const { file } = await setUp()
    await whileRunning(file, {}, async () => {
      const lock = Number.parseInt(readFileSync(`${file}.pid`, 'utf8'), 10)
      expect(lock).toBe(process.pid)
    })
    expect(existsSync(`${file}.pid`)).toBe(false)
  })
})

describe('an agent as a process', () => {
  /** Runs the program until it ends, or until `isEnough`. */
  async function run(args: readonly string[], isEnough?: () => Promise<unknown>, input = '') {
    const child: ChildProcess = spawn(process.execPath, [CLI, 'agent', ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout!.on('data', (chunk) => (output += chunk))
    child.stderr!.on('data', (chunk) => (output += chunk))
    if (input) child.stdin!.write(input)
    const exited = new Promise<string>((resolve) =>
      child.once('exit', (code, signal) => resolve(String(signal ?? code))),
    )
    try {
      if (isEnough) await isEnough()
      else await exited
    } finally {
      if (isEnough) child.kill('SIGTERM')
    }
    return { exit: await exited, output: () => output }
  }

  /** What was handed to the radio by an agent that died, and is not known to have gone out or failed. */
  function heldOf(file: string): Set<string> {
    const lines = readFileSync(`${file}.journal`, 'utf8').split('\n').filter(Boolean)
    const entries = lines.map((line) => JSON.parse(line))
    const known = new Set(entries.flatMap(({ item }) => (item ? [item.id] : [])))
    const begun = entries.flatMap((entry) => ('begun' in entry ? [entry.begun.split('.')[0]] : []))
    return new Set(begun.filter((id) => !known.has(id)))
  }

  test('an agent as a process sends no text twice after it was killed between sending and reporting', async () => {
    const { user, file } = await setUp()
    await send(user, 30)
    const sentFile = join(folder, 'sent')
    const options = ['--state', file, '--sent-file', sentFile, '--lag', '20', '--delivery', '20']
    const sent = () => readFileSync(sentFile, 'utf8').trim().split('\n')
    const first = await run(['run', ...options, '--die-after', '3'])
    expect(first.exit).toBe('SIGKILL')
    expect(sent()).toHaveLength(3)
    const { store } = server.server.services
    // what it had begun when it died is held, and not tried again, until the lease is over
    const begun = heldOf(file).size
    expect(begun).toBeGreaterThanOrEqual(1)
    expect(begun).toBeLessThanOrEqual(10)
    await run(['run', ...options], () =>
      expect
        .poll(async () => (await statusesOf(user)).map(sentOrNot).sort(), { timeout: 40_000 })
        .toEqual([...Array(begun).fill('sending'), ...Array(30 - begun).fill('sent')]),
    )
    await store.db.query(`update sms_dispatch set lease_until = now() where "user" = $1`, [user.id])
    // a server that has just started leaves leases alone for a while; this looks now
    while (!(await sweepQueue(store, 600))) await sleep(20)
    const statuses = await untilAll(user, (status) => isFinal(status) || status === 'sent')
    // a delivery report dies with its phone
    expect(statuses.filter((status) => status === 'failed')).toHaveLength(begun)
    // the third went out and nobody heard of it: that is what the reason of such a failure says
    expect(sent()).toHaveLength(30 - begun + 1)
    expect(new Set(sent()).size).toBe(sent().length)
  })

  test('an agent as a process pairs by a pairing address and receives texts typed at the terminal', async () => {
    const user = await server.makeUser()
    const { code } = (await user.call('POST', '/api/devices/pairing', { name: 'Typed' })).body
    const file = join(folder, 'typed.json')
    const address = `${server.url}/api/devices/pair#${code}`
    const paired = await run(['pair', address, '--platform', 'simulator', '--state', file])
    expect(paired.output()).toContain('Paired with')
    await run(
      ['run', '--state', file],
      () => untilAll(user, (status) => status === 'received'),
      '+4915112345678 Hello from a terminal\n',
    )
  })

  test('an agent as a process started twice by the same command, with a state file, pairs once', async () => {
    const user = await server.makeUser()
    const { code } = (await user.call('POST', '/api/devices/pairing', { name: 'Twice' })).body
    const command = ['start', server.url, code, '--state', join(folder, 'twice.json')]
    const outputs: string[] = []
    for (const count of [1, 2]) {
      const hasText = () =>
        expect.poll(() => statusesOf(user), { timeout: 40_000 }).toHaveLength(count)
      const { output } = await run(command, hasText, `+4915112345678 Text ${count}\n`)
      outputs.push(output())
    }
    expect(outputs.map((output) => output.includes('Paired with'))).toEqual([true, false])
    const { exit, output } = await run(['start', server.url, '999999', ...command.slice(3)])
    expect([exit, output()]).toEqual([
      '1',
      expect.stringContaining('belongs to a device that is paired already'),
    ])
  })

  test('an agent as a process names the version of the program that its driver uses', async () => {
    const bin = temporaryFolder()
    writeFileSync(join(bin, 'gammu-smsd'), '#!/bin/sh\necho "Gammu-smsd version 1.42.0"\n', {
      mode: 0o755,
    })
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { output } = await run(['run', '--driver', 'gammu', '--state', '/nowhere/agent.json'])
    expect(output()).toContain('Uses Gammu-smsd version 1.42.0')
  })

  test.each([
    [['pair', 'http://127.0.0.1:9', '123456'], 'Missing required argument: --platform'],
    [['pair', 'nowhere', '123456', '--platform', 'modem'], 'nowhere is not an address'],
    [['pair', 'http://127.0.0.1:9', '123456', '--platform', 'modem'], 'cannot be reached'],
    [['run', '--state', '/nowhere/agent.json'], 'Pair first'],
    [['run', '--state', folder], 'EISDIR'],
    [['run', '--driver', 'pigeon', '--state', 'agent.json'], '--driver must be one of: simulator'],
    [['run', '--fail', '2', '--state', 'agent.json'], '--fail must be a number from 0 to 1'],
  ])('%j prints "$1" and exits with 1', async (args, sentence) => {
    const { exit, output } = await run(args)
    expect(output()).toContain(sentence)
    expect(exit).toBe('1')
  })
})

test('an agent does not send texts that wait for a busy carrier after STOP or a cancellation', async () => {
  const { user, file, device } = await setUp()
  const carrier = await startReceiver()
  carrier.answer(429, '{}', { 'retry-after': '2' })
  const settings = {
    preset: 'custom',
    url: carrier.url,
    custom: { send: { path: '/send' } },
    allow_private: true,
    rate: 100,
  }
  const driver = makeHttpDriver(settingsOf(settings).carrier)
  const stopping = new AbortController()
  const running = runAgent(file, driver, () => {}, stopping.signal)
  const body = {
    recipients: ['+4915112345678', '+4915112345679'],
    body: 'Hello',
    device_id: device,
  }
  const { message_ids } = (await user.call('POST', '/api/sms/send', body)).body
  await carrier.heard(1)
  const phone = await server.pair(user)
  await server.hear(phone, [['+4915112345678', 'STOP']])
  const path = `/api/sms/messages/${message_ids[1]}/cancel`
  expect((await user.call('POST', path)).body.error).toBe('not_cancelable')
  const asked = carrier.told.length
  carrier.answer(200, '{}')
  await untilAll(user, (status) => status === 'failed' || status === 'received')
  await sleep(4_000)
  expect(carrier.told).toHaveLength(asked)
  const { items } = (
    await user.call('GET', '/api/collections/sms_messages/records?filter=status="failed"&sort=to')
  ).body
  expect(items.map((item: { error_message: string }) => item.error_message)).toEqual([
    'Recipient has opted out',
    'Canceled',
  ])
  expect((await user.call('GET', '/api/sms/usage')).body.used).toBe(0)
  stopping.abort()
  await running
})

describe('the arguments of pair', () => {
  test.each([
    ['https://sms.example.org', '123456', 'https://sms.example.org'],
    ['https://sms.example.org/', '123456', 'https://sms.example.org'],
    ['https://example.org/sms/', '123456', 'https://example.org/sms'],
    ['https://sms.example.org', '123 456', 'https://sms.example.org'],
    ['https://sms.example.org/api/devices/pair#123456', '', 'https://sms.example.org'],
    ['https://sms.example.org/api/devices/pair#123 456', '', 'https://sms.example.org'],
  ])('the address %s with the code "%s" is read as the URL %s', (address, code, url) =>
    expect(readPairing(address, code)).toEqual({ url, code: '123456' }),
  )

  test.each([
    ['sms.example.org', '123456'],
    ['ftp://sms.example.org', '123456'],
    ['https://sms.example.org', ''],
    ['https://sms.example.org', '12345'],
  ])('the address %s with the code "%s" is refused', (address, code) =>
    expect(() => readPairing(address, code)).toThrow(),
  )

  test('pairing ends with a plain message if the state file cannot be written', async () => {
    const user = await server.makeUser()
    const { code } = (await user.call('POST', '/api/devices/pairing', { name: 'Phone' })).body
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const pairing = pairAgent(
      server.url,
      code,
      { name: '', phone: '', platform: 'simulator' },
      () => join(file, 'state'),
    )
    await expect(pairing).rejects.toThrow(UserError)
    await expect(pairing).rejects.toThrow(/state cannot be written: E.*--state names another/)
  })
})

test('an agent reconnects after its server was unreachable', async () => {
  const { user, file } = await setUp()
  const state = loadAgentState(file)
  let tries = 0
  const broken = createServer((socket) => {
    tries++
    socket.destroy()
  })
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve))
  const { port } = broken.address() as AddressInfo
  saveState(file, { ...state, url: `http://127.0.0.1:${port}` })
  const stopping = new AbortController()
  let hasEnded = false
  const running = runAgent(file, makeSimulatorDriver(), () => {}, stopping.signal).finally(() => {
    hasEnded = true
  })
  await vi.waitFor(() => expect(tries).toBeGreaterThan(4), 60_000)
  expect(hasEnded).toBe(false)
  stopping.abort()
  await running
  broken.close()
  saveState(file, state)
  await send(user, 1)
  await whileRunning(file, {}, () => untilAll(user, (status) => status === 'delivered'))
})
