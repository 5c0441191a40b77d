import { makeRandomText } from '../../src/platform/tools/random.ts'
import { makePhoto } from '../support/pictures.ts'
import { type Answer, basic, request } from '../support/server/request.ts'
import { watchHolders } from '../support/watch-holders.ts'
import { startCallersFixture, type Way } from './callers-fixture.ts'

// Limits find the caller of a request by the credentials that its route takes.

const fixture = await startCallersFixture()
const { server, user, key, wrong, ways, send, holder } = fixture
const all = ways.map((way) => [way.name, way] as const)

const settings = () => server.server.services.settings
const limitRates = (...rules: readonly (readonly [label: string, audience: string])[]) =>
  settings().save({
    rateLimits: {
      enabled: true,
      excludedIPs: [],
      rules: rules.map(([label, audience]) => ({
        label,
        audience,
        duration: 60,
        maxRequests: 1,
      })),
    },
  })
afterEach(() => settings().save({ rateLimits: { enabled: false, rules: [], excludedIPs: [] } }))

const photo = await makePhoto('iphoneSmall')
/** A photo with this many bytes: what follows the end of a JPEG is ignored. */
const fillPhoto = (bytes: number) => Buffer.concat([photo, Buffer.alloc(bytes - photo.length)])

async function sendPhoto(headers: Record<string, string>, bytes: number, path = '/api/sms/send') {
  const form = new FormData()
  form.append('recipients', '+4915112345678')
  form.append('body', `Our menu ${makeRandomText(8)}`)
  form.append('attachments', new Blob([new Uint8Array(fillPhoto(bytes))]), 'menu.jpg')
  return request(server.url, 'POST', path, form, headers)
}

describe.each([
  ['72 kB', 72_000],
  ['4 MB', 4_000_000],
])('a photo of %s', (_, bytes) => {
  test.each([
    ['an API key', { 'x-api-key': key }],
    ['a token', { authorization: user.token }],
  ])('a photo is sent with %s', async (_, headers) => {
    const answer = await sendPhoto(headers, bytes)
    expect([answer.status, answer.body.recipients_count]).toEqual([200, 1])
  })

  test('a photo is refused by the path of Vendel for its files, not for its size', async () => {
    const answer = await sendPhoto({ 'x-api-key': key }, bytes, '/vendel/api/sms/send')
    expect(answer.status).toBe(400)
  })

  test.each([
    ['a forged API key', { 'x-api-key': wrong }],
    ['no credentials', {}],
    ['an API key as Bearer, which this route does not take', { authorization: `Bearer ${key}` }],
    ['a forged API key and a valid token', { 'x-api-key': wrong, authorization: user.token }],
  ])('a photo is not read with %s', async (_, headers) => {
    const taken = await watchHolders(['memory', 'files'], async () => {
      expect((await sendPhoto(headers as Record<string, string>, bytes)).status).toBe(401)
    })
    expect(taken).toEqual({ memory: [], files: [] })
  })
})

test.each(all)('%s reads a body of 66 kB, or refuses it by its own limit', async (_, way) => {
  const answer = await send(way, way.headers, 66_000)
  const own = /at most \d+ bytes/.test(answer.text)
  expect([answer.status === 401, answer.status === 413 && !own]).toEqual([false, false])
})

/** A label of rate limits for the path: labels have no dots. */
const labelOf = ({ path }: Way) => (path.includes('.') ? '/2010-04-01/' : path)
/** Vendel's SDKs take a 429 for an exceeded quota. */
const isRefused = ({ status, text }: Answer) =>
  status === 429 || (status === 503 && text.includes('Too Many'))

test.each(all)('a rate of guests does not hit %s', async (_, way) => {
  await limitRates([labelOf(way), '@guest'])
  for (let i = 0; i < 3; i++) expect(isRefused(await send(way, way.headers, 10))).toBe(false)
  expect((await send(way, way.forged, 10)).status).toBe(401)
  expect(isRefused(await send(way, way.forged, 10))).toBe(true)
})

test.each(all)('a rate of signed-in callers hits %s, and no forged credentials', async (_, way) => {
  await limitRates([labelOf(way), '@auth'])
  for (let i = 0; i < 2; i++) expect((await send(way, way.forged, 10)).status).toBe(401)
  expect(isRefused(await send(way, way.headers, 10))).toBe(false)
  expect(isRefused(await send(way, way.headers, 10))).toBe(true)
})

test.each(all)('a place of %s is one of its account, once it is known', async (_, way) => {
  await send(way, way.headers, 10)
  const sendBoth = (headers: Way['headers']) =>
    watchHolders(['requests', 'bodies'], async () => {
      await send(way, headers, 10)
      await send(way, headers, 66_000)
    })
  const own = await sendBoth(way.headers)
  expect(new Set([...own.requests, ...own.bodies])).toEqual(new Set([holder]))
  const forged = await sendBoth(way.forged)
  for (const one of [...forged.requests, ...forged.bodies]) expect(one).toMatch(/^network /)
})

test.each(all)('the memory of %s is charged to its account', async (_, way) => {
  const { memory } = await watchHolders(['memory'], () => send(way, way.headers, 66_000))
  for (const one of memory) expect(one).toBe(holder)
})

/** A body without a declared length, which may need much memory. */
const stream = (text: string) =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })

test.each(all)('forged credentials of %s get no memory for a large body', async (_, way) => {
  const { memory } = await watchHolders(['memory'], async () => {
    expect((await send(way, way.forged, 66_000)).status).toBe(401)
    const answer = await fetch(server.url + way.path, {
      method: 'POST',
      headers: { 'content-type': way.type ?? 'application/json', ...way.forged },
      body: stream(way.body(5_000)),
      duplex: 'half',
    } as RequestInit)
    expect(answer.status).toBe(401)
  })
  expect(memory).toEqual([])
})

test('a plain send opens no memory', async () => {
  const text = { recipients: ['+4915112345678'], body: 'Hi' }
  const credentials: Record<string, string>[] = [
    { 'x-api-key': key },
    { authorization: user.token },
  ]
  const { memory } = await watchHolders(['memory'], async () => {
    for (const headers of credentials)
      expect((await request(server.url, 'POST', '/api/sms/send', text, headers)).status).toBe(200)
  })
  expect(memory).toEqual([])
})

test.each([
  ['X-API-Key', { 'x-api-key': key }],
  ['Bearer', { authorization: `Bearer ${key}` }],
  ['Basic', basic(user.email, key)],
  ['access-token', { 'access-token': key }],
])('an API key in %s is a guest at a route of records', async (_, headers) => {
  const path = '/api/collections/contacts/records'
  await limitRates([path, '@guest'])
  const values = { user: user.id, name: 'Ann', data: { text: 'x'.repeat(100_000) } }
  const create = () => request(server.url, 'POST', path, values, headers as Record<string, string>)
  expect([(await create()).status, (await create()).status]).toEqual([413, 429])
})

test('a token with an API key beside it is the caller at a route of records', async () => {
  const path = '/api/collections/contacts/records'
  await limitRates([path, '@guest'])
  const headers = { authorization: user.token, 'x-api-key': key }
  const { requests } = await watchHolders(['requests'], async () => {
    for (let i = 0; i < 3; i++)
      expect((await request(server.url, 'GET', path, undefined, headers)).body.totalItems).toBe(0)
  })
  expect(requests).toEqual([holder, holder, holder])
})
