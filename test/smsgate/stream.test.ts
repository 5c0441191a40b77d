import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, client } from '../support/gateway.ts'
import { freePort } from '../support/postgres.ts'
import { serve } from '../support/program.ts'
import type { Phone } from '../support/smsgate-app.ts'
import { take } from '../support/smsgate-sender.ts'
import { joinPhone, openSite, records, type Site, send, until } from '../support/smsgate-site.ts'

let site: Site
let user: Client
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.stop())

/** What comes on the phone's stream, frame by frame. */
async function openEvents(phone: Phone, base = phone.options.url) {
  const off = new AbortController()
  const headers = { authorization: `Bearer ${phone.store.registration!.token}` }
  const response = await fetch(`${base}/events`, { headers, signal: off.signal })
  const frames: string[] = []
  const read = async () => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const parts = (text + chunk).split('\n\n')
      text = parts.pop()!
      frames.push(...parts)
    }
  }
  const reading = read().then(
    () => 'ended',
    () => 'cut off',
  )
  return {
    /** How it ended. */
    end: reading,
    type: response.headers.get('content-type'),
    frames,
    async close() {
      off.abort()
      await reading
    },
  }
}

const PULL = 'event: MessageEnqueued\ndata: null'

test('the stream says in the words of the app that messages wait', async () => {
  user = await site.gateway.makeUser()
  const phone = await joinPhone(site, user)
  const events = await openEvents(phone)
  expect(events.type).toBe('text/event-stream')
  await until(() => events.frames.includes(':keepalive'))
  expect(events.frames).not.toContain(PULL)
  await send(user, 1)
  await until(() => events.frames.includes(PULL))
  await events.close()
})

test('it says so again when the phone is through with what it had', async () => {
  user = await site.gateway.makeUser()
  const phone = await joinPhone(site, user)
  await send(user, 25)
  const pulled = (await phone.call('GET', '/message')).body as { id: string }[]
  expect(pulled).toHaveLength(20)
  const events = await openEvents(phone)
  await until(() => events.frames.includes(PULL)) // five wait
  events.frames.length = 0
  const sent = (from: number, to: number) =>
    phone.call(
      'PATCH',
      '/message',
      pulled.slice(from, to).map(({ id }) => ({ id, state: 'Sent', recipients: [], states: {} })),
    )
  await sent(0, 9)
  expect(events.frames).toEqual([])
  await sent(9, 10)
  await until(() => events.frames.includes(PULL))
  expect((await phone.call('GET', '/message')).body).toHaveLength(15)
  await events.close()
})

test('a message that its user deletes is not sent by a phone that has it', async () => {
  user = await site.gateway.makeUser()
  const held = Promise.withResolvers<number>()
  const phone = await joinPhone(site, user, { sendMs: () => held.promise })
  phone.start()
  await send(user, 1)
  await until(() => phone.store.onAir().length === 1)
  const [id] = await send(user, 1, { body: 'Not this one' })
  await until(() => phone.store.messages.has(`${id}.1`))
  await user.call('DELETE', `/api/collections/sms_messages/records/${id}`)
  await until(() => phone.store.messages.get(`${id}.1`)?.state === 'Cancelled')
  held.resolve(1)
  await send(user, 1)
  await until(() => phone.store.onAir().length === 2)
  phone.kill()
  expect(phone.store.onAir().map(({ text }) => text)).toEqual(['Hello', 'Hello'])
  expect(phone.faults).toEqual([])
})

test('it ends for a phone that was removed', async () => {
  user = await site.gateway.makeUser()
  const phone = await joinPhone(site, user)
  await user.call('DELETE', `/api/collections/devices/records/${phone.store.registration!.id}`)
  const events = await openEvents(phone)
  expect(events.type).toContain('application/json')
  await events.close()
})

test('a phone that listens at one node hears of what another accepts, and reports to either', async () => {
  const { databaseUrl } = site.gateway.server.services.config
  if (!databaseUrl) return // PGlite serves one process
  user = await site.gateway.makeUser()
  const phone = await joinPhone(site, user)
  const port = String(await freePort())
  const other = await serve({ DATABASE_URL: databaseUrl, HOST: '127.0.0.1', PORT: port, LOG_LEVEL: 'warn' })
  try {
    const events = await openEvents(phone)
    await send(client(other.url, user.id, user.token), 21)
    await until(() => events.frames.includes(PULL))
    const pulled = (await phone.call('GET', '/message')).body
    for (const message of pulled) take(phone, message)
    events.frames.length = 0
    const reports = pulled.map(({ id }: { id: string }) => ({
      id,
      state: 'Sent',
      recipients: [],
      states: {},
    }))
    const elsewhere = `${other.url}/api/mobile/v1/message`
    const headers = { authorization: `Bearer ${phone.store.registration!.token}` }
    const answer = await phone.fetch(elsewhere, { method: 'PATCH', headers, body: JSON.stringify(reports) })
    expect(answer.status).toBe(204)
    await until(() => events.frames.includes(PULL))
    expect(await records(user, 'status = "sent"')).toHaveLength(20)
    await events.close()
  } finally {
    await other.stop()
  }
}, 60_000)

test('a server that stops ends it, and does not cut it off', async () => {
  const other = await openSite()
  const phone = await joinPhone(other, await other.gateway.makeUser())
  const events = await openEvents(phone, `${other.gateway.url}/api/mobile/v1`)
  await until(() => events.frames.includes(':keepalive'))
  await other.stop()
  expect(await events.end).toBe('ended')
})
