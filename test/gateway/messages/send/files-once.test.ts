import { makePhoto } from '../../../support/pictures.ts'
import { must, startServerWithDevices } from '../../../support/server/server-with-devices.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// A key of another program, sent again with another picture: refused, or the first send's answer. Never lost
// without an answer that says so.

const server = await startServerWithDevices()
const { makeShop, sendForm } = openMmsServer(server)
const OTHER = await makePhoto('gnome')
const TO = '+4915112345678'

type Shop = Awaited<ReturnType<typeof makeShop>>

const countTexts = async ({ user }: Shop) =>
  (await must(user, 'GET', '/api/collections/sms_messages/records')).items.length

async function makeKey({ user }: Shop): Promise<string> {
  const record = { user: user.id, name: 'Key', scopes: ['messages:send'] }
  return (await must(user, 'POST', '/api/collections/api_keys/records', record)).key
}

/** A form with an Idempotency-Key, and an API key. */
async function sendOnce(key: string, once: string, picture: Buffer, fields: object = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ recipients: TO, body: 'Schau', ...fields }))
    form.append(name, String(value))
  form.append('attachments', new Blob([new Uint8Array(picture)]), 'a.jpg')
  const headers = { 'x-api-key': key, 'idempotency-key': once }
  const answer = await fetch(`${server.url}/api/sms/send`, { method: 'POST', headers, body: form })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  return { status: answer.status, body: (await answer.json()) as any }
}

test('an Idempotency-Key answers the same picture again, and refuses another with 422', async () => {
  const shop = await makeShop()
  const key = await makeKey(shop)
  const first = await sendOnce(key, 'k1', SMALL)
  expect(first.status).toBe(200)
  expect(await sendOnce(key, 'k1', SMALL)).toEqual(first)
  expect((await sendOnce(key, 'k1', OTHER)).status).toBe(422)
  expect((await sendOnce(key, 'k1', SMALL, { subject: 'Neu' })).status).toBe(422)
  expect(await countTexts(shop)).toBe(1)
})

test('a client_ref that a token used with a picture is refused with another by a key', async () => {
  const shop = await makeShop()
  const key = await makeKey(shop)
  const fields = { recipients: TO, body: 'Schau', client_ref: 'order 7/A' }
  expect((await sendForm(shop.user, fields, [SMALL])).status).toBe(200)
  const { client_ref } = fields
  expect((await sendOnce(key, 'k2', OTHER, { client_ref })).status).toBe(422)
  expect(await sendOnce(key, 'k3', SMALL, { client_ref })).toMatchObject({ status: 200 })
  expect(await countTexts(shop)).toBe(1)
})

test('an id of SMSGate that is used again is a 409, with any pictures', async () => {
  const shop = await makeShop()
  const key = await makeKey(shop)
  const authorization = `Basic ${Buffer.from(`${shop.user.id}:${key}`).toString('base64')}`
  const send = async (picture: Buffer) => {
    const attachments = [{ name: 'a.jpg', data: picture.toString('base64') }]
    const mmsMessage = { text: 'Schau', attachments }
    const answer = await fetch(`${server.url}/api/3rdparty/v1/messages`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'order-1', phoneNumbers: [TO], mmsMessage }),
    })
    return answer.status
  }
  expect(await send(SMALL)).toBe(202)
  expect(await send(SMALL)).toBe(409)
  expect(await send(OTHER)).toBe(409)
  expect(await countTexts(shop)).toBe(1)
})
