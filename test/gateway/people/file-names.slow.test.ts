import { tablesWith } from '../../support/database/dump.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { mms, mmsPoster } from '../../support/smsgate/mms.ts'
import { joinPhone } from '../../support/smsgate/smsgate-fixture.ts'
import { until } from '../../support/until.ts'
import { openMmsServer, SMALL as PICTURE } from '../messages/send/mms-fixture.ts'
import { ended } from './person-fixture.ts'

// An erased person is named by files that the account exchanged with others.

const server = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { makeShop, claim, findMessage, countFiles, fetchLink } = openMmsServer(server)
const OTHER = '+4915112345671'

let people = 0
/** A shop with a webhook, and a contact of a name that no other test has. */
async function makeShopWithContact(name = `Zebulon Kwarq${'abcdefghijklmnop'[people]}`) {
  const shop = await makeShop()
  const phone = `+4915177${String(70_000 + people++)}`
  const contact = { user: shop.user.id, phone, name }
  await must(shop.user, 'POST', '/api/collections/contacts/records', contact)
  const { url } = await startReceiver()
  const hook = { user: shop.user.id, url, events: ['message.failed', 'message.received'] }
  await must(shop.user, 'POST', '/api/collections/webhooks/records', hook)
  const erase = async () => {
    const asked = { number: phone, reason: 'Asked' }
    const { id } = await must(shop.user, 'POST', '/api/person/erase', asked)
    expect(await ended(shop.user, id)).toMatchObject({ state: 'done' })
  }
  return { ...shop, number: phone, name, erase }
}

/** Sends a picture of this name to somebody else. Returns the id of the MMS. */
async function send(token: string, name: string, words = '') {
  const form = new FormData()
  form.append('recipients', OTHER)
  form.append('body', words)
  form.append('attachments', new Blob([new Uint8Array(PICTURE)]), name)
  const headers = { authorization: token }
  const answer = await fetch(`${server.url}/api/sms/send`, { method: 'POST', headers, body: form })
  const { message_ids } = (await answer.json()) as { message_ids: [string] }
  return message_ids[0]
}

const failAll = async (shop: Awaited<ReturnType<typeof makeShop>>) => {
  const items = (await claim(shop.phone)).map(
    ({ id, attempt }: { id: string; attempt: number }) => ({
      id,
      attempt,
      status: 'failed',
      error_message: 'No room',
    }),
  )
  await must(shop.phone, 'POST', '/api/devices/report', { items })
}

const retry = async (shop: Awaited<ReturnType<typeof makeShop>>, id: string) =>
  (await must(shop.user, 'POST', `/api/sms/messages/${id}/retry`, {})).message_ids[0] as string

test.each([
  ['the name', (name: string) => `Invoice ${name}.jpg`],
  [
    'the name with its last part first',
    (name: string) => `${name.split(' ').reverse().join(', ')}.jpg`,
  ],
  ['the name in one word', (name: string) => `${name.replace(' ', '')}-passport.jpeg`],
  ['the name in capitals', (name: string) => `${name.toUpperCase().replace(' ', '_')}.JPG`],
  ['the number', (_: string, number: string) => `${number}.jpg`],
  [
    'the number with spaces',
    (_: string, number: string) => `Call 0${number.slice(3, 6)} ${number.slice(6)}.jpg`,
  ],
])('a file with %s gets another name, on the MMS and on its retry', async (_, nameFile) => {
  const shop = await makeShopWithContact()
  const id = await send(shop.user.token, nameFile(shop.name, shop.number))
  await failAll(shop)
  const again = await retry(shop, id)
  const before = (await findMessage(shop.user, id)).attachments[0] as string
  const copy = (await findMessage(shop.user, again)).attachments[0] as string
  await shop.erase()

  const texts = await Promise.all([id, again].map((one) => findMessage(shop.user, one)))
  for (const text of texts) {
    expect(text.attachments).toEqual([expect.stringMatching(/^file_[a-z0-9]{10}\.jpg$/)])
    expect(text.body).toBe(`Attachment: ${text.attachments[0]} image/jpeg ${PICTURE.length} bytes`)
  }
  expect(await countFiles(shop.user)).toBe(2)
  const tables = await tablesWith(server.server.services.store.db, [before, copy])
  expect(tables).toEqual([])
  const [claimed] = await claim(shop.phone)
  // no words that nobody wrote
  expect(claimed).toMatchObject({ id: again, body: '' })
  expect(await fetchLink(claimed.attachments[0].url)).toEqual(PICTURE)
})

test('a retry after an erasure sends only words that a person wrote', async () => {
  const shop = await makeShopWithContact()
  const id = await send(shop.user.token, `${shop.name}.jpg`)
  await failAll(shop)
  await shop.erase()
  const again = await retry(shop, id)
  const [claimed] = await claim(shop.phone)
  expect(claimed).toMatchObject({ id: again, body: '' })
  expect(claimed.attachments).toMatchObject([{ name: expect.stringMatching(/^file_/) }])
})

test('words of the sender stay, and files of other names, too', async () => {
  const shop = await makeShopWithContact('Li')
  const [own, other] = [
    await send(shop.user.token, 'Li.jpg', 'Attachment: see below'),
    await send(shop.user.token, 'Liste.jpg'),
  ]
  await shop.erase()
  expect(await findMessage(shop.user, own)).toMatchObject({
    body: 'Attachment: see below',
    attachments: [expect.stringMatching(/^file_/)],
  })
  expect((await findMessage(shop.user, other)).attachments).toEqual([
    expect.stringMatching(/^liste_/),
  ])
})

test('a file that another person sent gets another name, in the conversation and in webhooks, too', async () => {
  const shop = await makeShopWithContact()
  const post = await mmsPoster(
    await joinPhone({ mobileUrl: `${server.url}/api/mobile/v1` }, shop.user),
  )
  const name = `${shop.name} Jürgen.jpg`
  expect(await post(mms([[name, PICTURE]], { sender: OTHER, body: '' }))).toBe(204)
  const find = async () =>
    (await must(shop.user, 'GET', '/api/collections/sms_messages/records')).items[0]
  const old = (await find()).attachments[0] as string
  const { db } = server.server.services.store
  await until('the call', async () => (await tablesWith(db, [old])).includes('webhook_payloads'))
  await shop.erase()
  expect((await find()).attachments).toEqual([expect.stringMatching(/^file_/)])
  expect(await tablesWith(db, [old])).toEqual([])
})

test('files of another account keep their names', async () => {
  const [shop, neighbour] = [await makeShopWithContact(), await makeShop()]
  const id = await send(neighbour.user.token, `${shop.name}.jpg`)
  await shop.erase()
  expect((await findMessage(neighbour.user, id)).attachments[0]).toMatch(/^zebulon/)
})
