import { makeUserHolder } from '../../../../src/engine/collections/collection.ts'
import { withStoredMedia } from '../../../../src/gateway/messages/send/stored-media.ts'
import { endMessages } from '../../../../src/gateway/retention/end-messages.ts'
import { deleteFiles } from '../../../../src/gateway/retention/end-old-messages.ts'
import { admission } from '../../../../src/platform/limits/shared-limits.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../../support/server/server-with-devices.ts'
import { until } from '../../../support/until.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// What becomes of an MMS that was accepted: it is sent again, changed, kept and deleted with its files.

const server = await startServerWithDevices()
const { makeShop, sendForm, claim, fetchLink, findMessage, countFiles } = openMmsServer(server)
const TO = '+4915112345678'
const SOON = { timeout: 8_000, interval: 200 }
type Shop = Awaited<ReturnType<typeof makeShop>>
const BATCH = ['+4915112345671', '+4915112345672']

async function fail(phone: Client): Promise<void> {
  const items = (await claim(phone)).map(({ id, attempt }: { id: string; attempt: number }) => ({
    id,
    attempt,
    status: 'failed',
    error: 'No room',
  }))
  await must(phone, 'POST', '/api/devices/report', { items })
}

const dropFiles = (id: string) =>
  server.query(`update sms_messages set attachments = '{}' where id = $1`, [id])

test.each(['', 'Your parcel'])('a failed MMS with the words "%s" is sent again', async (words) => {
  const { user, phone } = await makeShop()
  const { body } = await sendForm(user, { recipients: TO, body: words, subject: 'Shop' }, [SMALL])
  await fail(phone)
  const retry = () => must(user, 'POST', `/api/sms/messages/${body.message_ids[0]}/retry`, {})
  const again = await retry()
  expect(await retry()).toEqual(again)
  const message = await findMessage(user, again.message_ids[0])
  expect(message).toMatchObject({ segments: 0, subject: 'Shop' })
  expect(message.attachments).toEqual([expect.stringMatching(/^parcel_0_[a-z0-9]{10}\.jpg$/)])
  expect(message.body).toBe(
    words || `Attachment: ${message.attachments[0]} image/jpeg ${SMALL.length} bytes`,
  )
  const [claimed] = await claim(phone)
  expect(claimed).toMatchObject({ id: again.message_ids[0], body: words, subject: 'Shop' })
  expect(await fetchLink(claimed.attachments[0].url)).toEqual(SMALL)
})

test('a message whose files are gone is not sent again', async () => {
  const { user, phone } = await makeShop()
  const { body } = await sendForm(user, { recipients: TO, body: 'x' }, [SMALL])
  await fail(phone)
  await dropFiles(body.message_ids[0])
  const path = `/api/sms/messages/${body.message_ids[0]}/retry`
  expect(await user.call('POST', path, {})).toMatchObject({
    status: 409,
    body: { error: 'not_retriable', message: expect.stringContaining('files') },
  })
})

test('failed MMS of a batch are sent again with their files, if these are there', async () => {
  const { user, phone } = await makeShop()
  const { body } = await sendForm(user, { recipients: BATCH, body: 'x' }, [SMALL])
  await fail(phone)
  await dropFiles(body.message_ids[1])
  const path = `/api/sms/batches/${body.batch_id}/retry`
  const again = await must(user, 'POST', path, {})
  expect(again).toMatchObject({ recipients_count: 1, left_out: { no_text: 1 } })
  const items = await claim(phone)
  expect(items).toMatchObject([{ id: again.message_ids[0], to: BATCH[0], body: 'x' }])
  expect(await fetchLink(items[0].attachments[0].url)).toEqual(SMALL)
})

const setMms = (user: Client, line: string, mms: string) =>
  must(user, 'PATCH', `/api/collections/lines/records/${line}`, { mms })

test.each([
  ['its owner forbids', async ({ user, line }: Shop) => void (await setMms(user, line, 'off'))],
  [
    'its phone can no more',
    async ({ phone }: Shop) =>
      expect((await must(phone, 'POST', '/api/devices/claim', {})).items).toEqual([]),
  ],
])(
  'an MMS leaves a line that %s, its texts do not, and it waits for one that can',
  async (_, end) => {
    const shop = await makeShop()
    const { user, phone, line } = shop
    const priced = { prices: { default: '0.05', mms: '0.30' } }
    await must(user, 'PATCH', `/api/collections/lines/records/${line}`, priced)
    const { body } = await sendForm(user, { recipients: TO, body: 'x' }, [SMALL])
    const [id] = body.message_ids
    await end(shop)
    const { message_ids } = await must(user, 'POST', '/api/sms/send', {
      recipients: [TO],
      body: 'y',
    })
    const waits = { status: 'pending', waiting_for: 'room', line: '' }
    await vi.waitFor(async () => expect(await findMessage(user, id)).toMatchObject(waits), SOON)
    expect(await claim(phone)).toMatchObject([{ id: message_ids[0] }])
    expect(await findMessage(user, id)).toMatchObject(waits)
    expect(
      await server.query('select cost::float8 from line_costs where line = $1', [line]),
    ).toEqual([[0.05]])
    await setMms(user, line, 'on')
    await vi.waitFor(
      async () => expect(await claim(phone)).toMatchObject([{ id: message_ids[0] }, { id }]),
      SOON,
    )
  },
)

test('a waiting MMS gets another text and time, and stays an MMS', async () => {
  const { user, phone } = await makeShop()
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
  const { body } = await sendForm(user, { recipients: TO, body: 'x', scheduled_at }, [SMALL])
  const path = `/api/sms/messages/${body.message_ids[0]}`
  const change = { body: 'y'.repeat(500), scheduled_at: new Date().toISOString() }
  expect(await must(user, 'PATCH', path, change)).toMatchObject({ segments: 0 })
  await vi.waitFor(
    async () =>
      expect(await claim(phone)).toMatchObject([
        { body: change.body, attachments: [{ size: SMALL.length }] },
      ]),
    { timeout: 8_000, interval: 300 },
  )
})

test('retention keeps the files of a message that still waits', async () => {
  const { user, phone } = await makeShop()
  const later = { recipients: TO, scheduled_at: new Date(Date.now() + 9e6).toISOString() }
  await sendForm(user, later, [SMALL])
  await sendForm(user, { recipients: TO }, [SMALL])
  await fail(phone)
  await server.query(
    `update sms_messages set created = '2020-01-01 00:00:00.000Z', updated = '2020-01-01 00:00:00.000Z' where "user" = $1`,
    [user.id],
  )
  await must(user, 'POST', '/api/collections/user_settings/records', {
    user: user.id,
    keep_files: 3,
  })
  const { db } = server.server.services.store
  expect(await db.transaction((inside) => deleteFiles(inside, 3, [user.id]))).toBe(1)
  expect(await countFiles(user)).toBe(1)
})

test('a redacted MMS has no text, no subject and no files', async () => {
  const { user, phone } = await makeShop()
  const { body } = await sendForm(user, { recipients: TO, body: 'x', subject: 'Shop' }, [SMALL])
  await fail(phone)
  const { store, extensions } = server.server.services
  await store.db.transaction((db) =>
    endMessages({ db, catalog: store.catalog }, extensions, 'redact', body.message_ids),
  )
  expect(await findMessage(user, body.message_ids[0])).toMatchObject({
    body: '',
    subject: '',
    attachments: [],
  })
  expect(await countFiles(user)).toBe(0)
})

test('the data of a person has the subjects and files of texts to them, and no longer after an erasure', async () => {
  const { user, phone } = await makeShop()
  const { id: contact } = await must(user, 'POST', '/api/collections/contacts/records', {
    phone: TO,
    name: 'Ann',
    user: user.id,
  })
  const { body } = await sendForm(user, { recipients: TO, body: '', subject: 'Shop' }, [SMALL])
  const [id] = body.message_ids
  await fail(phone)
  await must(user, 'POST', `/api/sms/messages/${id}/retry`, {})
  const end = async (request: string) =>
    vi.waitFor(
      async () => {
        const path = `/api/collections/person_requests/records/${request}`
        const found = await must(user, 'GET', path)
        expect(found.state).toBe('done')
        return found
      },
      { timeout: 8_000, interval: 100 },
    )
  const asked = await must(user, 'GET', `/api/contacts/${contact}/data`)
  const { files } = await end(asked.id)
  expect(files.filter((name: string) => name.endsWith('.jpg'))).toHaveLength(2)
  const { token } = await must(user, 'POST', '/api/files/token')
  const json = files.find((name: string) => name.endsWith('.json'))
  const path = `/api/files/person_requests/${asked.id}/${json}?token=${token}`
  const { places } = (await (await fetch(server.url + path)).json()) as {
    places: { sms_messages: { subject: string }[] }
  }
  expect(places.sms_messages.map(({ subject }) => subject)).toEqual(['Shop', 'Shop'])
  const erased = await must(user, 'POST', `/api/contacts/${contact}/erase`, { reason: 'Asked' })
  await end(erased.id)
  expect(await findMessage(user, id)).toMatchObject({ subject: '', body: '', attachments: [] })
  expect(await countFiles(user)).toBe(0)
})

test('a repetition prepares files by the present limit, and refuses files that do not fit', async () => {
  const { user } = await makeShop()
  const { body } = await sendForm(user, { recipients: TO, body: 'Look' }, [SMALL])
  const message = await findMessage(user, body.message_ids[0])
  const { db } = server.server.services.store
  const repeat = (mmsMaxBytes: number) =>
    withStoredMedia(db, user.id, { mmsMaxBytes }, message, async ({ files }, words) => ({
      words,
      bytes: files.reduce((sum, { content }) => sum + content.size, 0),
      types: files.map(({ type }) => type),
      names: files.map(({ name }) => name),
    }))
  const whole = await repeat(SMALL.length)
  expect(whole).toMatchObject({ words: 'Look', bytes: SMALL.length, types: ['image/jpeg'] })
  expect(await repeat(SMALL.length)).toEqual(whole)
  const most = Math.floor(SMALL.length / 2)
  const small = await repeat(most)
  expect(small.bytes).toBeLessThanOrEqual(most)
  expect(small.names).toEqual(whole.names)
  await expect(repeat(10)).rejects.toMatchObject({ body: { error: 'files_too_large' } })
})

test('a repetition waits for its turn to decode pictures, and keeps no place of other work', async () => {
  const { user } = await makeShop()
  const { body } = await sendForm(user, { recipients: TO, body: 'Look' }, [SMALL])
  const message = await findMessage(user, body.message_ids[0])
  const { db } = server.server.services.store
  const before = admission.memory.taken
  let isDone = false
  const turn = Promise.withResolvers<void>()
  const other = admission.pictures.run(makeUserHolder('other'), () => turn.promise)
  const mmsMaxBytes = Math.floor(SMALL.length / 2)
  const repeated = withStoredMedia(db, user.id, { mmsMaxBytes }, message, async ({ files }) => {
    isDone = true
    return files.length
  })
  await until('the repetition waits', () => admission.pictures.use.waiting === 1)
  expect(admission.heavyWork.use).toEqual({ running: 0, waiting: 0 })
  expect(admission.memory.taken - before).toBe(SMALL.length)
  expect(isDone).toBe(false)
  turn.resolve()
  await other
  expect(await repeated).toBe(1)
  expect(admission.memory.taken).toBe(before)
})
