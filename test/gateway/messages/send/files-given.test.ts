import { createServer } from 'node:http'
import { must, startServerWithDevices } from '../../../support/server/server-with-devices.ts'
import { listenLocally } from '../../../support/services/listen.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// The files of a request are compared with those of the message of its client_ref, and loaded once.

const server = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { makeShop, claim, findMessage } = openMmsServer(server)
const TO = '+4915112345678'
const CARD = Buffer.from('BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Shop\r\nEND:VCARD\r\n')

/** A host that answers each path so often. `asked`: the paths that were asked for. */
async function startHost(times = 1) {
  const asked: string[] = []
  const host = createServer(({ url = '' }, response) => {
    asked.push(url)
    const isThere = asked.filter((one) => one === url).length <= times
    response.writeHead(isThere ? 200 : 410).end(url.endsWith('.vcf') ? CARD : SMALL)
  })
  return { ...(await listenLocally(host)), asked }
}

type Shop = Awaited<ReturnType<typeof makeShop>>
let refs = 0
const nextRef = () => `order ${++refs}`

/** Sends a form with a client_ref and no Idempotency-Key. */
async function sendForm(
  { user }: Shop,
  ref: string,
  files: readonly (readonly [name: string, Buffer])[],
  more: Record<string, string> = {},
) {
  const form = new FormData()
  for (const [name, value] of Object.entries({
    recipients: TO,
    body: 'Look',
    client_ref: ref,
    ...more,
  }))
    form.append(name, value)
  for (const [name, file] of files)
    form.append('attachments', new Blob([new Uint8Array(file)]), name)
  const headers = { authorization: user.token }
  const answer = await fetch(`${server.url}/api/sms/send`, { method: 'POST', headers, body: form })
  return { status: answer.status, body: (await answer.json()) as { message_ids: string[] } }
}

const sendJson = ({ user }: Shop, ref: string, attachments: readonly string[], more: object = {}) =>
  user.call('POST', '/api/sms/send', {
    recipients: [TO],
    body: 'Look',
    client_ref: ref,
    ...(attachments.length > 0 && { attachments }),
    ...more,
  })
const countTexts = async ({ user }: Shop) =>
  (await must(user, 'GET', '/api/collections/sms_messages/records')).items.length

test('the same form with the same client_ref is sent once', async () => {
  const shop = await makeShop()
  const ref = nextRef()
  const first = await sendForm(shop, ref, [['a.jpg', SMALL]])
  expect(await sendForm(shop, ref, [['b.jpg', SMALL]])).toEqual(first)
  expect(await countTexts(shop)).toBe(1)
})

test.each([
  ['another picture', [['a.vcf', CARD]], {}],
  [
    'one picture more',
    [
      ['a.jpg', SMALL],
      ['b.vcf', CARD],
    ],
    {},
  ],
  ['no picture', [], {}],
  ['another subject', [['a.jpg', SMALL]], { subject: 'Sale' }],
  ['other words', [['a.jpg', SMALL]], { body: 'See' }],
] as const)('a form with %s and the same client_ref gets 422', async (_, files, more) => {
  const shop = await makeShop()
  const ref = nextRef()
  expect((await sendForm(shop, ref, [['a.jpg', SMALL]])).status).toBe(200)
  expect(await sendForm(shop, ref, files, more)).toMatchObject({
    status: 422,
    body: { error: 'client_ref_reused' },
  })
  expect(await countTexts(shop)).toBe(1)
})

test('pictures in another order, and a picture after a text without one, get 422', async () => {
  const shop = await makeShop()
  const [ref, plain] = [nextRef(), nextRef()]
  await sendForm(shop, ref, [
    ['a.jpg', SMALL],
    ['b.vcf', CARD],
  ])
  expect(
    (
      await sendForm(shop, ref, [
        ['b.vcf', CARD],
        ['a.jpg', SMALL],
      ])
    ).status,
  ).toBe(422)
  await sendForm(shop, plain, [])
  expect((await sendForm(shop, plain, [['a.jpg', SMALL]])).status).toBe(422)
})

test('an address is compared, not asked again', async () => {
  const shop = await makeShop()
  const host = await startHost()
  const ref = nextRef()
  const first = await sendJson(shop, ref, [`${host.url}/a.jpg`])
  expect(first.status).toBe(200)
  expect(await sendJson(shop, ref, [`${host.url}/a.jpg`])).toEqual(first)
  expect(host.asked).toEqual(['/a.jpg'])
  expect(await sendJson(shop, ref, [`${host.url}/a.vcf`])).toMatchObject({ status: 422 })
  // the same bytes at another address
  expect(await sendJson(shop, ref, [`${host.url}/b.jpg`])).toEqual(first)
  expect(await sendJson(shop, ref, [])).toMatchObject({ status: 422 })
})

test('a file that another message has is compared by its name', async () => {
  const shop = await makeShop()
  const { body } = await sendForm(shop, nextRef(), [
    ['a.jpg', SMALL],
    ['b.vcf', CARD],
  ])
  const id = body.message_ids[0]!
  const [picture, card] = (await findMessage(shop.user, id)).attachments
  const ref = nextRef()
  const first = await sendJson(shop, ref, [`${id}/${picture}`])
  expect(await sendJson(shop, ref, [`${id}/${picture}`])).toEqual(first)
  expect((await sendJson(shop, ref, [`${id}/${card}`])).status).toBe(422)
})

test.each([
  ['a send', '/api/sms/send', { body: 'Look' }],
  ['a send with links instead', '/api/sms/send', { body: 'Look', mms: 'or_link' }],
])('the first use of a key by %s fetches an address once', async (_, path, more) => {
  const shop = await makeShop()
  const host = await startHost()
  const record = { user: shop.user.id, name: 'Key', scopes: ['messages:send'] }
  const { key, id } = await must(shop.user, 'POST', '/api/collections/api_keys/records', record)
  for (const [i, name] of ['/1.jpg', '/2.jpg', '/3.jpg'].entries()) {
    // the last use is older than a minute, and another server process wrote it
    await server.query(`update api_keys set last_used_at = $2 where id = $1`, [
      id,
      `2026-01-01 00:00:0${i}.000Z`,
    ])
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ recipients: [TO], attachments: [host.url + name], ...more }),
    })
    expect(answer.status).toBe(200)
  }
  expect(host.asked).toEqual(['/1.jpg', '/2.jpg', '/3.jpg'])
  await expect
    .poll(() => must(shop.user, 'GET', `/api/collections/api_keys/records/${id}`))
    .toMatchObject({ last_used_at: expect.stringMatching(/^20/) })
})

test('a request that is repeated since its key was renamed fetches an address once', async () => {
  const shop = await makeShop()
  const host = await startHost()
  const record = { user: shop.user.id, name: 'Key', scopes: ['messages:send'] }
  const { key, id } = await must(shop.user, 'POST', '/api/collections/api_keys/records', record)
  const send = (name: string) =>
    fetch(`${server.url}/api/sms/send`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ recipients: [TO], body: 'Look', attachments: [host.url + name] }),
    })
  expect((await send('/1.jpg')).status).toBe(200)
  // another server process changes the key, which is cached here
  await server.query(`update api_keys set name = 'Other' where id = $1`, [id])
  expect((await send('/2.jpg')).status).toBe(200)
  expect(host.asked).toEqual(['/1.jpg', '/2.jpg'])
  await server.query('update api_keys set disabled = true where id = $1', [id])
  expect((await send('/3.jpg')).status).toBe(401)
  expect(await claim(shop.phone)).toHaveLength(2)
})
