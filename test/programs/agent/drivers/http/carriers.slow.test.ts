import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Driver } from '../../../../../src/programs/agent/driver-interface.ts'
import { makeHttpDriver } from '../../../../../src/programs/agent/drivers/http/driver.ts'
import { listenForCalls } from '../../../../../src/programs/agent/drivers/http/listen-for-calls.ts'
import { makeSimulatorDriver } from '../../../../../src/programs/agent/drivers/simulator.ts'
import { pairAgent } from '../../../../../src/programs/agent/pair-agent.ts'
import { runAgent } from '../../../../../src/programs/agent/run-agent.ts'
import { freePort } from '../../../../support/database/postgres.ts'
import { temporaryFolder } from '../../../../support/database/temporary-folder.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../../../support/server/server-with-devices.ts'
import { makeKey } from '../../../../support/twilio/twilio-fixture.ts'
import { until } from '../../../../support/until.ts'
import { Smsc } from '../../carrier.ts'
import { openDriver, settingsOf, TEXT } from './carrier-fixture.ts'

const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true', LEASE_SECONDS: '60' })

/** Runs a driver as a new device of a user until the end of the test. */
async function startAgent(user: Client, makeDriver: (file: string) => Driver): Promise<string> {
  const { code } = await must(user, 'POST', '/api/devices/pairing', {})
  const file = join(temporaryFolder(), 'agent.json')
  const { device } = await pairAgent(
    gateway.url,
    code,
    { name: '', phone: '', platform: 'modem' },
    () => file,
  )
  const ended = new AbortController()
  const running = runAgent(file, makeDriver(file), () => {}, ended.signal)
  onTestFinished(async () => {
    ended.abort()
    await running
  })
  return device
}

/** A user whose texts leave through the account `settings`. */
async function startCarrier(settings: object) {
  const user = await gateway.makeUser()
  const { carrier, host, port } = settingsOf({ allow_private: true, rate: 200, ...settings })
  await startAgent(user, (file) =>
    makeHttpDriver(carrier, (events) =>
      listenForCalls(carrier, { host, port }, `${file}.calls`, events),
    ),
  )
  return user
}

/** An account behind a carrier: a simulated phone with the number +4930123. */
async function startUpstream() {
  const user = await gateway.makeUser()
  const simulator = makeSimulatorDriver({ lagMs: 5, deliveryMs: 10, sims: 1 })
  const phone = await startAgent(user, () => simulator)
  return { user, phone, simulator }
}

const messages = async (user: Client, filter = '') =>
  (
    await must(
      user,
      'GET',
      `/api/collections/sms_messages/records?perPage=500&filter=${encodeURIComponent(filter)}`,
    )
  ).items as Record<string, string>[]

const send = (user: Client, recipients: readonly string[], body = 'Hello ') =>
  must(user, 'POST', '/api/sms/send', { recipients, body })

async function untilAre(user: Client, status: string, count: number): Promise<void> {
  await until(
    `${count} texts ${status}`,
    async () => (await messages(user, `status = "${status}"`)).length === count,
  )
}

test('an account of another pocketsms sends, reports, receives and obeys opt-outs', async () => {
  const upstream = await startUpstream()
  const port = await freePort()
  const callback = `http://127.0.0.1:${port}/calls/k3v9`
  const events = ['message.delivered', 'message.failed', 'message.received']
  const hook = { user: upstream.user.id, url: callback, events }
  const { secret: webhook_secret } = await must(
    upstream.user,
    'POST',
    '/api/collections/webhooks/records',
    hook,
  )
  const named = { user: upstream.user.id, name: 'carrier' }
  const { key } = await must(upstream.user, 'POST', '/api/collections/api_keys/records', named)
  const settings = {
    preset: 'pocketsms',
    url: gateway.url,
    secret: key,
    webhook_secret,
    callback,
    listen: port,
  }
  const user = await startCarrier(settings)
  await until(
    'the carrier is online',
    async () => (await must(user, 'GET', '/api/devices/states')).items[0]?.online,
  )

  const recipients = Array.from({ length: 30 }, (_, i) => `+4915112345${100 + i}`)
  await send(user, recipients)
  await untilAre(user, 'delivered', 30)
  const sent = await messages(upstream.user, 'message_type = "outgoing"')
  expect(sent.map(({ to }) => to).sort()).toEqual(recipients)
  expect(new Set(sent.map(({ body }) => body))).toEqual(new Set(['Hello ']))

  upstream.simulator.receive({ from: recipients[0]!, body: 'STOP', sim: 1 })
  await untilAre(user, 'received', 1)
  await send(user, [recipients[0]!])
  await untilAre(user, 'failed', 1)
  const [refused] = await messages(user, 'status = "failed"')
  expect(refused?.error_message).toBe('Recipient has opted out')
})

test('an account by the Twilio API of pocketsms sends, reports and receives', async () => {
  const upstream = await startUpstream()
  await must(upstream.user, 'PATCH', `/api/collections/devices/records/${upstream.phone}`, {
    phone: '+4930123',
  })
  const key = await makeKey(upstream.user)
  const port = await freePort()
  const callback = `http://127.0.0.1:${port}/calls/k3v9`
  const user = await startCarrier({
    preset: 'twilio',
    url: gateway.url,
    user: key.account_sid,
    secret: key.auth_token,
    senders: ['+4930123'],
    callback,
    listen: port,
  })
  await until(
    'the carrier is online',
    async () => (await must(user, 'GET', '/api/devices/states')).items[0]?.online,
  )
  await send(user, ['+4915112345001', '+4915112345002'], 'Grüße 😀')
  await untilAre(user, 'delivered', 2)
  const hook = {
    user: upstream.user.id,
    url: callback,
    format: 'twilio',
    device: upstream.phone,
    api_key: key.id,
    events: ['message.received'],
  }
  await must(upstream.user, 'POST', '/api/collections/webhooks/records', hook)
  upstream.simulator.receive({ from: '+4915112345001', body: 'Danke & mehr', sim: 0 })
  await untilAre(user, 'received', 1)
  const [received] = await messages(user, 'status = "received"')
  expect(received).toMatchObject({ from: '+4915112345001', to: '+4930123', body: 'Danke & mehr' })
})

const KANNEL = ['/usr/sbin/bearerbox', '/usr/sbin/smsbox'].every((file) => existsSync(file))
const PAGE = new URL('../../../../../docs/carriers.md', import.meta.url)

test.skipIf(!KANNEL)(
  'Kannel sends, reports and receives by the settings of docs/carriers.md',
  async () => {
    const smsc = new Smsc()
    onTestFinished(() => smsc.stop())
    const [smscPort, admin, box, sendPort] = [
      await smsc.start(),
      await freePort(),
      await freePort(),
      await freePort(),
    ]
    const page = readFileSync(PAGE, 'utf8')
    const [, block] = /```json\n((?:(?!```)[\s\S])*cgi-bin\/sendsms[\s\S]*?)```/.exec(page)!
    const [, service] = /```text\n(group = sms-service\n[\s\S]*?)```/.exec(page)!
    const { callback: _, listen: __, ...settings } = JSON.parse(block!)
    const opened = await openDriver({ ...settings, url: `http://127.0.0.1:${sendPort}` })
    const { send, delivered, received, callback } = opened
    const folder = temporaryFolder()
    const config = `group = core
admin-port = ${admin}
admin-password = x
smsbox-port = ${box}
box-allow-ip = "127.0.0.1"
dlr-storage = internal
store-type = file
store-location = "${folder}/kannel.store"

group = smsc
smsc = smpp
smsc-id = carrier
host = 127.0.0.1
port = ${smscPort}
smsc-username = acme
smsc-password = secret
transceiver-mode = true
system-type = "VMA"

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${sendPort}

group = sendsms-user
username = acme
password = sesame
concatenation = true
max-messages = 10

${service!.replace('http://127.0.0.1:8095/calls/k3v9', callback)}`
    const file = join(folder, 'kannel.conf')
    writeFileSync(file, config)
    for (const program of ['/usr/sbin/bearerbox', '/usr/sbin/smsbox']) {
      const child = spawn(program, ['-v', '4', file], { stdio: 'ignore' })
      onTestFinished(() => void child.kill('SIGKILL'))
      await until(`${program} answers`, () =>
        answers(program.endsWith('smsbox') ? sendPort : admin),
      )
    }
    await until('Kannel is bound to its carrier', () => smsc.bound.length > 0)

    await until(
      'Kannel accepts a text',
      async () => (await send({ body: 'Grüße & 5 €' })).outcome === 'sent',
    )
    await until('the text is at the carrier of Kannel', () => smsc.submitted.length > 0)
    expect(smsc.submitted[0]).toMatchObject({
      source_addr: '4930123',
      destination_addr: '4915112345678',
    })
    const receipt = `id:${smsc.submitted.length} sub:001 dlvrd:001 submit date:2611201200 done date:2611201201 stat:DELIVRD err:000 text:`
    await smsc.deliver({
      esm_class: 4,
      source_addr: '4915112345678',
      destination_addr: '4930123',
      short_message: Buffer.from(receipt),
    })
    await until('the receipt arrives', () => delivered.length > 0)
    expect(delivered).toEqual([`${TEXT.id}.1 delivered`])

    const text = { source_addr: '4915112345678', source_addr_ton: 1, destination_addr: '4930123' }
    await smsc.deliver({ ...text, short_message: Buffer.from('A & B = C') })
    await until('the text arrives', () => received.length > 0)
    expect(received.map(({ body }) => body)).toEqual(['A & B = C'])
    expect(received[0]).toMatchObject({ from: '+4915112345678', sim: 1 })
    const cyrillic = Buffer.from('Привет, 5 €', 'utf16le').swap16()
    await smsc.deliver({ ...text, data_coding: 8, short_message: cyrillic })
    await until('the text in Cyrillic arrives', () => received.length > 1)
    expect(received[1]).toMatchObject({ body: 'Привет, 5 €' })
    expect(await send({ to: 'no number', body: 'x' })).toMatchObject({
      outcome: 'failed',
      notSent: false,
    })
  },
)

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  )
}
