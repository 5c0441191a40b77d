import {
  type Client,
  must,
  startServerWithDevices,
} from '../../../support/server/server-with-devices.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// Where no line can send MMS, a send with `or_link` leaves as a text with a short link to each file.

const server = await startServerWithDevices({ PUBLIC_URL: 'https://sms.example.com' })
const { makeShop, sendForm, claim, fetchLink, findMessage, countFiles } = openMmsServer(server)
const TO = '+4915112345678'
const LINK = /https:\/\/sms\.example\.com\/f\/[a-z0-9]{16}[\w-]{11}/g

/** A user whose only line cannot send MMS. */
async function makePlainShop() {
  const shop = await makeShop()
  await setMms(shop, 'off')
  return shop
}
const setMms = ({ user, line }: Awaited<ReturnType<typeof makeShop>>, mms: 'on' | 'off') =>
  must(user, 'PATCH', `/api/collections/lines/records/${line}`, { mms })

const orLink = (
  user: Client,
  fields: Record<string, string | string[]>,
  files: readonly Buffer[],
) => sendForm(user, { recipients: TO, mms: 'or_link', ...fields }, files)

const open = (link: string) => fetch(server.url + new URL(link).pathname)

test('a text leaves with a link to each file, which opens without a token', async () => {
  const { user, phone } = await makePlainShop()
  const { body } = await orLink(user, { body: 'Your parcel', subject: 'Shop' }, [SMALL, SMALL])
  const [item] = await claim(phone)
  expect(item.body).toMatch(/^Your parcel https\S+ https\S+$/)
  expect(item).not.toHaveProperty('attachments')
  const links: string[] = item.body.match(LINK)
  for (const link of links) {
    const answer = await open(link)
    expect(answer.headers.get('content-type')).toBe('image/jpeg')
    expect(answer.headers.get('x-robots-tag')).toBe('noindex')
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(SMALL)
  }
  expect(await findMessage(user, body.message_ids[0])).toMatchObject({
    body: item.body,
    segments: 1,
    subject: 'Shop',
    attachments: [expect.any(String), expect.any(String)],
  })
})

test('with a line for MMS, an MMS leaves', async () => {
  const { user, phone } = await makeShop()
  await orLink(user, { body: 'x' }, [SMALL])
  expect(await claim(phone)).toMatchObject([{ body: 'x', attachments: [{}] }])
})

test('files without words leave as links alone, to each recipient their own', async () => {
  const { user, phone } = await makePlainShop()
  const form = { recipients: ['+4915112345671', '+4915112345672'], mms: 'or_link' }
  await sendForm(user, form, [SMALL])
  const bodies = (await claim(phone)).map(({ body }: { body: string }) => body)
  expect(new Set(bodies).size).toBe(2)
  for (const body of bodies) expect(body).toMatch(/^https:\S+$/)
})

test('a link ends with its time and its file, and no other link opens it', async () => {
  const { user, phone } = await makePlainShop()
  const { body } = await orLink(user, {}, [SMALL])
  const [{ body: link }] = await claim(phone)
  const flip = (text: string) => text.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  const id = body.message_ids[0]
  expect((await open(link)).status).toBe(200)
  const statuses = async (links: readonly string[]) =>
    Promise.all(links.map(async (one) => (await open(one)).status))
  expect(
    await statuses([flip(link), link.replace(`${id}0`, `${id}1`), `${link}a`, link.slice(0, -1)]),
  ).toEqual([404, 404, 404, 404])
  const age = (days: number) =>
    server.query(
      `update sms_messages set created = pb_text(now() - make_interval(days => $2)) where id = $1`,
      [id, days],
    )
  await age(29)
  expect((await open(link)).status).toBe(200)
  await age(31)
  expect((await open(link)).status).toBe(404)
  await age(1)
  await server.query(`update sms_messages set attachments = '{}' where id = $1`, [id])
  expect((await open(link)).status).toBe(404)
})

test('a repeated request is the same send, by its key and by its client_ref', async () => {
  const { user } = await makePlainShop()
  const once = { body: 'x', client_ref: 'order-7' }
  const first = await orLink(user, once, [SMALL])
  expect(await orLink(user, once, [SMALL])).toEqual(first)
  const again = await must(user, 'POST', '/api/sms/send', {
    ...once,
    recipients: [TO],
    mms: 'or_link',
    attachments: [
      `${first.body.message_ids[0]}/${(await findMessage(user, first.body.message_ids[0])).attachments[0]}`,
    ],
  })
  expect(again).toEqual(first.body)
  expect(await countFiles(user)).toBe(1)
})

/** Lets the next text of a phone fail. */
async function failNext(phone: Client) {
  const [{ id, attempt, body }] = await claim(phone)
  const items = [{ id, attempt, status: 'failed', error: 'No room' }]
  await must(phone, 'POST', '/api/devices/report', { items })
  return { id, body }
}

test('a failed text is not sent again with dead links', async () => {
  const { user, phone } = await makePlainShop()
  const recipients = [TO, '+4915112345679']
  const { body } = await orLink(user, { recipients, body: 'x' }, [SMALL])
  const { id } = await failNext(phone)
  await failNext(phone)
  await server.query(`update sms_messages set attachments = '{}' where "user" = $1`, [user.id])
  expect(await user.call('POST', `/api/sms/messages/${id}/retry`, {})).toMatchObject({
    status: 409,
    body: { error: 'not_retriable', message: expect.stringContaining('files') },
  })
  expect(await must(user, 'POST', `/api/sms/batches/${body.batch_id}/retry`, {})).toMatchObject({
    recipients_count: 0,
    left_out: { no_text: 2 },
  })
})

test('a failed text with links is sent again: with links of its own, or as an MMS', async () => {
  const shop = await makePlainShop()
  const { user, phone } = shop
  const fail = () => failNext(phone)
  const retry = (id: string) => must(user, 'POST', `/api/sms/messages/${id}/retry`, {})
  await orLink(user, { body: 'x' }, [SMALL])
  const first = await fail()
  await retry(first.id)
  const second = await fail()
  expect(second.body).toMatch(/^x https:\S+$/)
  expect(second.body).not.toBe(first.body)
  expect((await open(second.body.slice(2))).status).toBe(200)
  await setMms(shop, 'on')
  await retry(second.id)
  const [third] = await claim(phone)
  expect(third).toMatchObject({ body: 'x', attachments: [{}] })
  expect(await fetchLink(third.attachments[0].url)).toEqual(SMALL)
})

test('a waiting text with links gets other words, and keeps the links', async () => {
  const { user, phone } = await makePlainShop()
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
  const { body } = await orLink(user, { body: 'x', scheduled_at }, [SMALL])
  const [id] = body.message_ids
  const links = (await findMessage(user, id)).body.slice(2)
  const change = (words: string) => user.call('PATCH', `/api/sms/messages/${id}`, { body: words })
  for (const words of ['y z', `y z ${links}`, `y z\n${links}`]) {
    expect((await change(words)).body).toMatchObject({ segments: 1 })
    expect((await findMessage(user, id)).body).toBe(`y z ${links}`)
  }
  expect(await change('y'.repeat(1_590))).toMatchObject({ body: { error: 'body_too_long' } })
  await must(user, 'PATCH', `/api/sms/messages/${id}`, { scheduled_at: new Date().toISOString() })
  await vi.waitFor(
    async () => expect(await claim(phone)).toMatchObject([{ body: `y z ${links}` }]),
    { timeout: 8_000, interval: 300 },
  )
})

test('a text that the links make too long is refused, and no file is stored', async () => {
  const { user } = await makePlainShop()
  expect(await orLink(user, { body: 'x'.repeat(1_590) }, [SMALL])).toMatchObject({
    status: 400,
    body: { error: 'body_too_long' },
  })
  expect(await countFiles(user)).toBe(0)
})

test('a preview shows whether a send with files becomes an MMS or links', async () => {
  const shop = await makePlainShop()
  const preview = (fields: object) =>
    shop.user.call('POST', '/api/sms/preview', {
      recipients: [TO],
      body: 'x',
      attachments: ['https://example.com/a.jpg'],
      ...fields,
    })
  expect(await preview({})).toMatchObject({ status: 400, body: { error: 'mms_not_supported' } })
  expect(await preview({ mms: 'or_link' })).toMatchObject({
    body: { body: expect.stringMatching(/^x https:\S{47}$/), total_segments: 1 },
  })
  expect(await preview({ mms: 'or_link', body: 'x'.repeat(1_600) })).toMatchObject({
    status: 400,
    body: { error: 'body_too_long' },
  })
  await setMms(shop, 'on')
  await must(shop.user, 'PATCH', `/api/collections/lines/records/${shop.line}`, {
    prices: { default: '0.05', mms: '0.30' },
  })
  expect(await preview({ body: 'x'.repeat(500) })).toMatchObject({
    body: {
      segments: 0,
      total_segments: 0,
      items: [{ segments: 0 }],
      estimate: { lines: [{ texts: 1, segments: 0, cost: '0.30' }] },
    },
  })
})
