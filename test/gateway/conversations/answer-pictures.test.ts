import { makePhoto } from '../../support/pictures.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'
import { openMmsServer, SMALL } from '../messages/send/mms-fixture.ts'

// Automatic answers with pictures.

const server = await startServerWithDevices({ PUBLIC_URL: 'https://sms.example.com' })
const { makeShop, claim, fetchLink } = openMmsServer(server)
const LARGE = await makePhoto('iphoneSmall')
const PAGE = Buffer.from('<!doctype html><title>Menu</title>')

async function makeAnswer({ id, token }: Client, files: readonly Buffer[]) {
  const form = new FormData()
  for (const [name, value] of Object.entries({
    user: id,
    match: 'any',
    enabled: 'true',
    body: 'Menu',
  }))
    form.append(name, value)
  for (const file of files) form.append('attachments', new Blob([new Uint8Array(file)]), 'menu.jpg')
  const path = '/api/collections/auto_answers/records'
  return fetch(server.url + path, { method: 'POST', headers: { authorization: token }, body: form })
}
let people = 0
/** A person texts, and the phone gets the answer. */
async function ask(phone: Client) {
  const from = `+49151999${String(++people).padStart(5, '0')}`
  const items = [{ from, body: 'Menu?', received_at: new Date().toISOString() }]
  await must(phone, 'POST', '/api/devices/incoming', { items })
  return until('the answer', async () => {
    const [item] = await claim(phone)
    if (!item) return undefined
    const { id, attempt } = item
    await must(phone, 'POST', '/api/devices/report', { items: [{ id, attempt, status: 'sent' }] })
    return item
  })
}
const countContents = async ({ id }: Client) =>
  Number(
    (await server.query('select count(*) from _file_contents where account = $1', [id]))[0]![0],
  )

test('an answer leaves with its picture, which is stored once for all recipients', async () => {
  const { user, phone } = await makeShop()
  expect((await makeAnswer(user, [SMALL])).status).toBe(200)
  for (let i = 0; i < 3; i++) {
    const { body, attachments } = await ask(phone)
    expect([body, attachments.length]).toEqual(['Menu', 1])
    expect(await fetchLink(attachments[0].url)).toEqual(SMALL)
  }
  expect(await countContents(user)).toBe(1)
})

test('a picture that had to be prepared is stored once more, for all recipients', async () => {
  const { user, phone } = await makeShop()
  await makeAnswer(user, [LARGE])
  for (let i = 0; i < 2; i++) expect((await ask(phone)).attachments).toHaveLength(1)
  expect(await countContents(user)).toBe(2)
})

test('without a line for MMS the answer has a link to its picture', async () => {
  const user = await server.makeUser()
  const phone = await server.pair(user)
  await makeAnswer(user, [SMALL])
  const { body } = await ask(phone)
  const [, link] = /^Menu (https:\/\/sms\.example\.com\/f\/\S+)$/.exec(body)!
  expect(await fetchLink(link!)).toEqual(SMALL)
})

test('an answer whose pictures cannot be sent leaves with its words', async () => {
  const { user, phone } = await makeShop()
  const broken = Buffer.concat([SMALL.subarray(0, 400), Buffer.alloc(2_000)])
  expect((await makeAnswer(user, [broken])).status).toBe(200)
  expect(await ask(phone)).toMatchObject({ body: 'Menu' })
})

test('an answer takes up to three files, and no page', async () => {
  const { user } = await makeShop()
  expect((await makeAnswer(user, [PAGE])).status).toBe(400)
  expect((await makeAnswer(user, Array(4).fill(SMALL))).status).toBe(400)
  expect((await makeAnswer(user, Array(3).fill(SMALL))).status).toBe(200)
})
