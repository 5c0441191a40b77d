import { makePhoto } from '../../../support/pictures.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../../support/server/server-with-devices.ts'
import { until } from '../../../support/until.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// Templates with pictures: they leave with each text that is made of the template, and are stored once.

const server = await startServerWithDevices({ PUBLIC_URL: 'https://sms.example.com' })
const { makeShop, claim, fetchLink, findMessage } = openMmsServer(server)
const OTHER = await makePhoto('iphoneSmall')
const TEMPLATES = '/api/collections/sms_templates/records'
const TO = ['+4915112345671', '+4915112345672', '+4915112345673']
const LATER = new Date(Date.now() + 3_600_000).toISOString()

/** Creates a template with files, or changes one. */
async function saveTemplate(user: Client, files: readonly Buffer[], id = '') {
  const form = new FormData()
  for (const [name, value] of Object.entries({
    user: user.id,
    name: 'Menu',
    body: 'Hi {{name|you}}',
  }))
    form.append(name, value)
  for (const file of files)
    form.append('attachments', new Blob([new Uint8Array(file)]), 'Anna Berg.jpg')
  const answer = await fetch(server.url + TEMPLATES + (id && `/${id}`), {
    method: id ? 'PATCH' : 'POST',
    headers: { authorization: user.token },
    body: form,
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  return { status: answer.status, body: (await answer.json()) as any }
}
const makeTemplate = async (user: Client, files: readonly Buffer[] = [SMALL]) =>
  (await saveTemplate(user, files)).body
const send = (user: Client, template: { id: string }, fields: object = {}) =>
  user.call('POST', '/api/sms/send-template', {
    recipients: TO,
    template_id: template.id,
    ...fields,
  })
const countContents = async ({ id }: Client) =>
  Number(
    (await server.query('select count(*) from _file_contents where account = $1', [id]))[0]![0],
  )

test('a template leaves with its picture, which is stored once for the template and all its texts', async () => {
  const { user, phone } = await makeShop()
  const template = await makeTemplate(user)
  const { status, body } = await send(user, template, { subject: 'Shop' })
  expect(status).toBe(200)
  const got = await claim(phone)
  expect(got).toHaveLength(3)
  for (const { body: words, subject, attachments } of got) {
    expect([words, subject, attachments.length]).toEqual(['Hi you', 'Shop', 1])
    expect(await fetchLink(attachments[0].url)).toEqual(SMALL)
  }
  expect(await countContents(user)).toBe(1)
  expect((await must(user, 'GET', '/api/sms/usage')).files.bytes).toBe(SMALL.length)
  await must(user, 'DELETE', `${TEMPLATES}/${template.id}`)
  expect(await countContents(user)).toBe(1)
  for (const id of body.message_ids)
    await must(user, 'DELETE', `/api/collections/sms_messages/records/${id}`)
  expect(await countContents(user)).toBe(0)
})

test('files of a send follow the files of its template', async () => {
  const { user, phone } = await makeShop()
  const template = await makeTemplate(user, [SMALL])
  const other = await makeTemplate(user, [OTHER])
  const named = `${other.id}/${other.attachments[0]}`
  await send(user, template, { attachments: [named] })
  const [{ attachments }] = await claim(phone)
  expect(attachments).toHaveLength(2)
  expect(await fetchLink(attachments[0].url)).toEqual(SMALL)
  expect(attachments[1].type).toBe('image/jpeg')
})

test('a text may name the file of a template, but not of another account', async () => {
  const { user, phone } = await makeShop()
  const { user: stranger } = await makeShop()
  const { id, attachments } = await makeTemplate(user)
  const text = { recipients: TO, body: 'Hi', attachments: [`${id}/${attachments[0]}`] }
  expect((await stranger.call('POST', '/api/sms/send', text)).status).toBe(400)
  expect((await user.call('POST', '/api/sms/send', text)).status).toBe(200)
  const [item] = await claim(phone)
  expect(await fetchLink(item.attachments[0].url)).toEqual(SMALL)
  expect(await countContents(user)).toBe(1)
})

test('without a line for MMS a template leaves with links, unless the send says otherwise', async () => {
  const user = await server.makeUser()
  const phone = await server.pair(user)
  const template = await makeTemplate(user)
  expect(await send(user, template, { mms: 'only' })).toMatchObject({
    status: 400,
    body: { error: 'mms_not_supported' },
  })
  const preview = await must(user, 'POST', '/api/sms/preview', { template_id: template.id })
  expect(preview.body).toMatch(/^Hi you https:/)
  await send(user, template)
  for (const { body } of await claim(phone)) {
    const [, link] = /^Hi you (https:\/\/sms\.example\.com\/f\/\S+)$/.exec(body)!
    expect(await fetchLink(link!)).toEqual(SMALL)
  }
})

test('a reference that is used again is the same text until the template has another picture', async () => {
  const { user } = await makeShop()
  const template = await makeTemplate(user)
  const once = { recipients: [TO[0]], client_ref: 'order-1' }
  const first = await send(user, template, once)
  expect((await send(user, template, once)).body.message_ids).toEqual(first.body.message_ids)
  await saveTemplate(user, [OTHER], template.id)
  expect(await send(user, template, once)).toMatchObject({ body: { error: 'client_ref_reused' } })
})

test('a campaign of a template has its picture from the start', async () => {
  const { user, phone } = await makeShop()
  const { id: template_id } = await makeTemplate(user)
  const wanted = { template_id, recipients: TO, hold_seconds: 0 }
  expect(await must(user, 'POST', '/api/campaigns/preview', wanted)).toMatchObject({ segments: 0 })
  await must(user, 'POST', '/api/campaigns', wanted)
  await must(user, 'DELETE', `${TEMPLATES}/${template_id}`)
  const got = await until('the texts', async () => {
    const items = await claim(phone)
    return items.length > 0 && items
  })
  for (const { attachments } of got) expect(await fetchLink(attachments[0].url)).toEqual(SMALL)
  expect(await countContents(user)).toBe(1)
})

test('an automatic answer of a template has its picture', async () => {
  const { user, phone } = await makeShop()
  const { id: template } = await makeTemplate(user)
  const answer = { user: user.id, match: 'any', enabled: true, template }
  await must(user, 'POST', '/api/collections/auto_answers/records', answer)
  const items = [{ from: TO[0], body: 'Menu?', received_at: new Date().toISOString() }]
  await must(phone, 'POST', '/api/devices/incoming', { items })
  const item = await until('the answer', async () => (await claim(phone))[0])
  expect(item.body).toBe('Hi you')
  expect(await fetchLink(item.attachments[0].url)).toEqual(SMALL)
})

test('an automatic answer whose template was deleted can be disabled, but not enabled', async () => {
  const { user } = await makeShop()
  const { id: template } = await makeTemplate(user)
  const path = '/api/collections/auto_answers/records'
  const answer = { user: user.id, match: 'any', enabled: true, template }
  const { id } = await must(user, 'POST', path, answer)
  await must(user, 'DELETE', `${TEMPLATES}/${template}`)
  const enable = (enabled: boolean) => user.call('PATCH', `${path}/${id}`, { enabled })
  const statuses = []
  for (const enabled of [true, false, true]) statuses.push((await enable(enabled)).status)
  expect(statuses).toEqual([400, 200, 400])
})

test('a template takes up to three files, and no page', async () => {
  const { user } = await makeShop()
  const page = Buffer.from('<!doctype html><title>Menu</title>')
  expect((await saveTemplate(user, [page])).status).toBe(400)
  expect((await saveTemplate(user, Array(4).fill(SMALL))).status).toBe(400)
  expect((await saveTemplate(user, Array(3).fill(SMALL))).status).toBe(200)
  expect(await countContents(user)).toBe(1)
})

test('the name of an erased person is in no name of a template’s file any more', async () => {
  const { user } = await makeShop()
  await must(user, 'POST', '/api/collections/contacts/records', {
    user: user.id,
    name: 'Anna Berg',
    phone: TO[0],
  })
  const { id, attachments } = await makeTemplate(user)
  expect(attachments).toEqual([expect.stringMatching(/^anna_berg_/)])
  const { body } = await send(user, { id }, { recipients: [TO[1]], scheduled_at: LATER })
  await must(user, 'POST', '/api/person/erase', { number: TO[0], reason: 'asked' })
  const blank = [expect.stringMatching(/^file_\w{10}\.jpg$/)]
  const template = await until('an erasure of the name', async () => {
    const found = await must(user, 'GET', `${TEMPLATES}/${id}`)
    return !found.attachments[0].includes('anna') && found
  })
  expect(template.attachments).toEqual(blank)
  expect((await findMessage(user, body.message_ids[0])).attachments).toEqual(blank)
  expect((await send(user, { id })).status).toBe(200)
})
