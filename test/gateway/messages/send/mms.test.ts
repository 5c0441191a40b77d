import PocketBase from 'pocketbase'
import sharp from 'sharp'
import { admission } from '../../../../src/platform/limits/shared-limits.ts'
import { makePhoto } from '../../../support/pictures.ts'
import { must, startServerWithDevices } from '../../../support/server/server-with-devices.ts'
import { until } from '../../../support/until.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// Pictures leave by lines that can send them, with their files, or are refused before anything is stored.

const LIMIT = 200_000
const server = await startServerWithDevices({ SMS_MMS_MAX_BYTES: String(LIMIT) })
const TO = '+4915112345678'
const { makeShop, sendForm, claim, fetchLink, findMessage, countFiles } = openMmsServer(server)
const LARGE = await makePhoto('pixel')

test('a form sends a picture, which the device fetches', async () => {
  const { user, phone } = await makeShop()
  const { body } = await sendForm(user, { recipients: TO, body: 'Your parcel', subject: 'Shop' }, [
    SMALL,
  ])
  const [id] = body.message_ids
  const message = await findMessage(user, id)
  expect(message).toMatchObject({
    body: 'Your parcel',
    subject: 'Shop',
    segments: 0,
    status: 'assigned',
  })
  expect(message.attachments).toEqual([expect.stringMatching(/^parcel_0_\w+\.jpg$/)])
  const [claimed] = await claim(phone)
  expect(claimed).toMatchObject({ id, body: 'Your parcel', subject: 'Shop' })
  expect(claimed.attachments).toMatchObject([{ type: 'image/jpeg', size: SMALL.length }])
  expect(await fetchLink(claimed.attachments[0].url)).toEqual(SMALL)
})

test('a picture without words names its file, and leaves without words', async () => {
  const { user, phone } = await makeShop()
  const { body } = await sendForm(user, { recipients: TO, body: '' }, [SMALL])
  expect((await findMessage(user, body.message_ids[0])).body).toMatch(
    /^Attachment: parcel_0_\w+\.jpg/,
  )
  expect(await claim(phone)).toMatchObject([{ body: '', subject: '' }])
})

test('large pictures are made smaller until all fit', async () => {
  const { user, phone } = await makeShop()
  await sendForm(user, { recipients: TO }, [LARGE, SMALL, LARGE])
  const [{ attachments }] = await claim(phone)
  const sizes = attachments.map(({ size }: { size: number }) => size)
  expect(sizes).toHaveLength(3)
  expect(sizes[0] + sizes[1] + sizes[2]).toBeLessThanOrEqual(LIMIT)
  for (const { url } of attachments) {
    const made = await sharp(await fetchLink(url)).metadata()
    expect(made.width).toBeGreaterThanOrEqual(100)
  }
})

test('files that cannot be sent are refused, and no message is stored', async () => {
  const { user } = await makeShop()
  const refused = [
    await sendForm(user, { recipients: TO }, [Buffer.from('PK\x03\x04 an archive')]),
    await sendForm(user, { recipients: TO }, [Buffer.from('\xff\xd8\xff no picture', 'latin1')]),
    await sendForm(user, { recipients: TO }, [new File(['{"error":"gone"}'], 'menu.JPG')]),
    await sendForm(user, { recipients: TO }, Array(11).fill(SMALL)),
    await sendForm(user, { recipients: TO, subject: 'x' }, []),
    await sendForm(user, { recipients: TO }, []),
  ]
  expect(refused.map(({ status, body }) => [status, body.error])).toEqual(
    Array(6).fill([400, 'invalid_request']),
  )
  const pdf = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(LIMIT)])
  expect(await sendForm(user, { recipients: TO }, [pdf])).toMatchObject({
    status: 400,
    body: { error: 'files_too_large', message: expect.stringContaining(`${LIMIT} bytes together`) },
  })
  expect(await countFiles(user)).toBe(0)
})

test('prepared files count in the memory of requests until they are stored', async () => {
  const { user } = await makeShop()
  const { db } = server.server.services.store
  const first = await sendForm(user, { recipients: TO }, [SMALL])
  const [id] = first.body.message_ids
  const [name] = (await findMessage(user, id)).attachments
  const before = admission.memory.taken
  const sent = await db.transaction(async (inside) => {
    await inside.query('lock table _files in share mode')
    const again = { recipients: [TO], body: 'x', attachments: [`${id}/${name}`] }
    const sending = must(user, 'POST', '/api/sms/send', again)
    const waits = `select 1 from pg_locks where relation = '_files'::regclass and not granted`
    await until('the send waits', async () => (await server.query(waits)).length > 0)
    expect(admission.memory.taken).toBe(before + SMALL.length)
    return { sending }
  })
  await sent.sending
  await until('the memory is free', () => admission.memory.taken === before)
})

test('without a line that can, an MMS is refused before anything is stored', async () => {
  const { user, line } = await makeShop()
  await must(user, 'PATCH', `/api/collections/lines/records/${line}`, { mms: 'off' })
  const { status, body } = await sendForm(user, { recipients: TO, body: 'x' }, [SMALL])
  expect([status, body.error]).toEqual([400, 'mms_not_supported'])
  expect(await countFiles(user)).toBe(0)
  expect((await must(user, 'GET', '/api/collections/sms_messages/records')).totalItems).toBe(0)
})

test('of two phones, only the phone that can send pictures gets them', async () => {
  const { user, phone } = await makeShop()
  const other = await server.pair(user)
  for (let i = 0; i < 4; i++) await sendForm(user, { recipients: TO, body: 'x' }, [SMALL])
  expect(await claim(phone)).toHaveLength(4)
  expect(await claim(other)).toEqual([])
})

test('a repeated form sends once', async () => {
  const { user } = await makeShop()
  const fields = { recipients: TO, body: 'x', client_ref: 'order-7' }
  const [first, again] = [
    await sendForm(user, fields, [SMALL]),
    await sendForm(user, fields, [SMALL]),
  ]
  expect(again).toEqual(first)
  expect(await sendForm(user, fields, [LARGE])).toMatchObject({
    body: { error: 'idempotency_key_reused' },
  })
  expect(await countFiles(user)).toBe(1)
})

test('a file of a message can be sent again by its account only', async () => {
  const { user, phone } = await makeShop()
  const { body } = await sendForm(user, { recipients: TO, body: 'x' }, [SMALL])
  const [id] = body.message_ids
  const [name] = (await findMessage(user, id)).attachments
  const again = { recipients: [TO], body: 'again', attachments: [`${id}/${name}`] }
  await must(user, 'POST', '/api/sms/send', again)
  expect(await claim(phone)).toMatchObject([{ attachments: [{}] }, { attachments: [{}] }])
  const stranger = await makeShop()
  expect(await stranger.user.call('POST', '/api/sms/send', again)).toMatchObject({ status: 400 })
})

test('an address is fetched by the rules of outgoing requests', async () => {
  const { user } = await makeShop()
  const attachments = ['http://127.0.0.1/a.jpg']
  expect(await user.call('POST', '/api/sms/send', { recipients: [TO], attachments })).toMatchObject(
    { status: 400, body: { message: expect.stringContaining('could not be fetched') } },
  )
})

test('each recipient has the file, which is stored once', async () => {
  const { user } = await makeShop()
  const recipients = ['+4915112345671', '+4915112345672']
  const form = new FormData()
  for (const to of recipients) form.append('recipients', to)
  form.append('attachments', new Blob([new Uint8Array(SMALL)]), 'a.jpg')
  const answer = await fetch(`${server.url}/api/sms/send`, {
    method: 'POST',
    headers: { authorization: user.token },
    body: form,
  })
  expect(await answer.json()).toMatchObject({ recipients_count: 2 })
  expect(await countFiles(user)).toBe(2)
  const { files } = await must(user, 'GET', '/api/sms/usage')
  expect(files.bytes).toBe(SMALL.length)
})

test('a price for MMS is charged once, for any size', async () => {
  const { user, line } = await makeShop()
  const prices = { default: '0.05', mms: '0.30' }
  await must(user, 'PATCH', `/api/collections/lines/records/${line}`, {
    prices,
    monthly_budget: '0.50',
  })
  await sendForm(user, { recipients: TO, body: 'x'.repeat(500) }, [SMALL])
  const [[cost]] = (await server.query('select cost::float8 from line_costs where line = $1', [
    line,
  ])) as [[number]]
  expect(cost).toBe(0.3)
  const second = await sendForm(user, { recipients: TO, body: 'x' }, [SMALL])
  expect((await findMessage(user, second.body.message_ids[0])).waiting_for).toBe('room')
})

test('PocketBase’s SDK sends a picture', async () => {
  const { user, phone } = await makeShop()
  const pb = new PocketBase(server.url)
  pb.authStore.save(user.token, null)
  const file = new File([new Uint8Array(SMALL)], 'parcel.jpg')
  await pb.send('/api/sms/send', {
    method: 'POST',
    body: { recipients: [TO], body: 'Parcel 12345', priority: 3, attachments: [file] },
  })
  expect(await claim(phone)).toMatchObject([
    { body: 'Parcel 12345', priority: 3, attachments: [{ size: SMALL.length }] },
  ])
})
