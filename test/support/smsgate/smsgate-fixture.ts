import { freePort } from '../database/postgres.ts'
import { temporaryFolder } from '../database/temporary-folder.ts'
import { type Client, startServerWithDevices } from '../server/server-with-devices.ts'
import { makeBreakableProxy } from '../services/breakable-proxy.ts'
import { until as untilTrue } from '../until.ts'
import { Phone, type PhoneOptions } from './smsgate-app.ts'

export const DAY_MS = 86_400_000
const TIMES_FASTER = 100

export type SmsgateFixture = Awaited<ReturnType<typeof startSmsgateFixture>>

/** A server that phones reach by a line that may break. */
export async function startSmsgateFixture(env: Record<string, string> = {}) {
  const port = await freePort()
  let share = 0
  let breaks = 0
  const isBroken = () => Math.random() < share && ++breaks > 0
  const proxy = await makeBreakableProxy(`http://127.0.0.1:${port}`, isBroken)
  const publicUrl = new URL(proxy.url).origin
  const server = await startServerWithDevices({ PORT: String(port), PUBLIC_URL: publicUrl, ...env })
  await proxy.connect()
  const mobileUrl = `${publicUrl}/api/mobile/v1`
  return {
    gateway: server,
    /** What a phone's owner types. */
    mobileUrl,
    /** From now on the line ends a connection instead of that share of what comes back. */
    breakLine(next: number) {
      share = next
    },
    /** How often it did. */
    breaks: () => breaks,
    /** No phone goes on, whatever its test came to. */
    async stop() {
      for (const phone of phones)
        if (phone.options.url === mobileUrl && phones.delete(phone)) phone.kill()
      await proxy.disconnect()
      await server.stop()
    },
  }
}

/** A phone of a user, registered by a code and not started yet. */
export async function joinPhone(
  site: Pick<SmsgateFixture, 'mobileUrl'>,
  user: Client,
  options: Partial<PhoneOptions> = {},
): Promise<Phone> {
  const phone = makePhone(site, options)
  if ((await phone.register(`Code ${await codeOf(user)}`)) !== 201)
    throw new Error('the phone could not join')
  return phone
}

export const makePhone = (
  site: Pick<SmsgateFixture, 'mobileUrl'>,
  options: Partial<PhoneOptions> = {},
): Phone =>
  switchOn({
    url: site.mobileUrl,
    folder: temporaryFolder(),
    version: '1.68.0',
    isAtWork: () => true,
    clockMs: 0,
    scale: 1 / TIMES_FASTER,
    sendMs: () => Math.random() * 5,
    radioMs: () => Math.random() * 30,
    callMs: () => 5 + Math.random() * 10,
    insertMs: () => Math.random() * 3,
    workMs: () => Math.random() * 10,
    ...options,
  })

const phones = new Set<Phone>()

function switchOn(options: PhoneOptions): Phone {
  const phone = new Phone(options)
  phones.add(phone)
  return phone
}

/** The same phone after its app was started anew. */
export function restart(phone: Phone): Phone {
  phone.kill()
  const next = switchOn(phone.options)
  next.inbox = phone.inbox
  next.start()
  return next
}

export const codeOf = async (user: Client): Promise<string> =>
  (await user.call('POST', '/api/devices/pairing', {})).body.code

/** Sends a text to each number; ids in order. */
export async function send(user: Client, count: number, more: object = {}): Promise<string[]> {
  const recipients = Array.from({ length: count }, (_, i) => `+4915${String(10_000_000 + i)}`)
  const { status, body } = await user.call('POST', '/api/sms/send', {
    recipients,
    body: 'Hello',
    ...more,
  })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.message_ids
}

// biome-ignore lint/suspicious/noExplicitAny: records as they come
export async function records(user: Client, filter: string): Promise<any[]> {
  const query = new URLSearchParams({ filter, perPage: '500', sort: '@rowid' })
  return (await user.call('GET', `/api/collections/sms_messages/records?${query}`)).body.items
}

export const until = (isTrue: () => boolean | Promise<boolean>, withinMs = 80_000) =>
  untilTrue('what a phone was to do', isTrue, withinMs)
