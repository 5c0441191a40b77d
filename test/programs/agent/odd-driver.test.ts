import { join } from 'node:path'
import type {
  Driver,
  DriverEvents,
  IncomingText,
  OutgoingText,
  SendResult,
} from '../../../src/programs/agent/driver-interface.ts'
import { pairAgent } from '../../../src/programs/agent/pair-agent.ts'
import { runAgent } from '../../../src/programs/agent/run-agent.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

// What modems and the programs before them say is not always what a server takes.

const server = await startServerWithDevices()
const folder = temporaryFolder()
const user = await server.makeUser()

/** Sends nothing, for the reason that it was made with; says what it is told to. */
class OddDriver implements Driver {
  readonly parallel: number = 1
  readonly #result: SendResult
  events!: DriverEvents

  constructor(result: SendResult) {
    this.#result = result
  }

  async start(events: DriverEvents): Promise<void> {
    this.events = events
  }
  now = () => new Date()
  send = async () => this.#result
  async stop(): Promise<void> {}
}

async function whileRunning(driver: OddDriver, work: () => Promise<void>): Promise<void> {
  const { code } = (await user.call('POST', '/api/devices/pairing', { name: 'Modem' })).body
  const file = join(folder, `${code}.json`)
  const { device } = await pairAgent(
    server.url,
    code,
    { name: '', phone: '', platform: 'modem' },
    () => file,
  )
  const ended = new AbortController()
  const running = runAgent(file, driver, () => {}, ended.signal)
  try {
    await expect.poll(() => driver.events).toBeDefined()
    await work()
  } finally {
    ended.abort()
    await running
    await user.call('DELETE', `/api/collections/devices/records/${device}`)
  }
}

/** Takes any number of texts, and sends none before `release`. */
class SlowDriver extends OddDriver {
  override readonly parallel = 10
  readonly sent: string[] = []
  release = () => {}
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve
  })

  async ready(): Promise<boolean> {
    await this.#released
    return true
  }

  override send = async (text?: OutgoingText): Promise<SendResult> => {
    this.sent.push(text!.to)
    return { outcome: 'sent' }
  }
}

const newest = async (filter: string) => {
  const query = new URLSearchParams({ filter, sort: '-@rowid', perPage: '1' })
  return (await user.call('GET', `/api/collections/sms_messages/records?${query}`)).body.items[0]
}

test('an error of many pages is shortened in the report', async () => {
  const driver = new OddDriver({
    outcome: 'failed',
    error: 'Error: no signal. '.repeat(200),
    notSent: false,
  })
  await whileRunning(driver, async () => {
    await user.call('POST', '/api/sms/send', { recipients: ['+4915100'], body: 'Hello' })
    const status = async () => (await newest('message_type = "outgoing"')).status
    await expect.poll(status).toBe('failed')
    const { error_message } = await newest('message_type = "outgoing"')
    expect(error_message).toHaveLength(1_000)
    expect(error_message).toMatch(/^Error: no signal\. /)
  })
})

test('texts that wait for a slow driver are sent once', async () => {
  const driver = new SlowDriver({ outcome: 'sent' })
  await whileRunning(driver, async () => {
    const all = ['+4915110', '+4915120', '+4915130']
    for (const to of all) {
      await user.call('POST', '/api/sms/send', { recipients: [to], body: 'Hello' })
      await expect.poll(async () => (await newest(`to = "${to}"`)).status).toBe('sending')
    }
    driver.release()
    await expect.poll(async () => (await newest('to = "+4915130"')).status).toBe('sent')
    expect(driver.sent.sort()).toEqual(all)
  })
})

const AT = new Date('2026-11-20T07:00:00Z')

test.each<[what: string, text: Partial<IncomingText>, at: Date, expected: object]>([
  ['without a sender', { from: '', body: 'one' }, AT, { from: 'unknown', body: 'one' }],
  ['whose sender is undefined', { body: 'two' }, AT, { from: 'unknown', body: 'two' }],
  ['without a text', { from: '+4930000' }, AT, { from: '+4930000', body: '' }],
  ['of a long name', { from: 'x'.repeat(80), body: 'three' }, AT, { from: 'x'.repeat(50) }],
  [
    'of 40,000 characters',
    { from: '+4934000', body: 'x'.repeat(40_000) },
    AT,
    { from: '+4934000', body: 'x'.repeat(39_015) },
  ],
  ['of no instant', { from: '+4931000', body: 'four' }, new Date(Number.NaN), { body: 'four' }],
  [
    'of the year 1899',
    { from: '+4932000', body: 'five' },
    new Date('1899-12-31'),
    { body: 'five' },
  ],
  [
    'of the year 10000',
    { from: '+4933000', body: 'six' },
    new Date(Date.UTC(10_000, 0)),
    { body: 'six' },
  ],
])('an incoming text %s is stored with $3', async (_, text, at, expected) => {
  const driver = new OddDriver({ outcome: 'sent' })
  await whileRunning(driver, async () => {
    await driver.events.received({ sim: 0, ...text } as IncomingText, at)
    const { body = '', from } = expected as { body?: string; from?: string }
    const filter = from ? `from = "${from}"` : `body = "${body}"`
    await expect
      .poll(() => newest(`message_type = "incoming" && ${filter}`))
      .toMatchObject(expected)
  })
})
