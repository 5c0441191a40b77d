import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

// One person is one number, in whatever form of E.164 a client names it.

const gateway = await startServerWithDevices()
const PERSONS = [
  ['a German trunk prefix', '+49015120000010', '+4915120000010'],
  ['Mexico’s former 1', '+5215512345678', '+525512345678'],
  ['an Argentine number without its 9', '+541123456789', '+5491123456789'],
  ['a Lithuanian trunk prefix', '+370861234567', '+37061234567'],
  ['Brazil’s former eight digits', '+551187654321', '+5511987654321'],
] as const

async function makeShop() {
  const shop = await gateway.makeUser()
  return { shop, phone: await gateway.pair(shop) }
}
const record = (shop: Client, collection: string, values: object) =>
  must(shop, 'POST', `/api/collections/${collection}/records`, { user: shop.id, ...values })
const messagesOf = ({ id }: Client) =>
  gateway.query(
    `select "to", status, error_message from sms_messages where "user" = $1 and message_type = 'outgoing' order by _rowid`,
    [id],
  )
const send = (shop: Client, recipients: readonly string[], more: object = {}) =>
  must(shop, 'POST', '/api/sms/send', { recipients, body: 'Hi', ...more })

describe.each(PERSONS)('a person with %s', (_, form, number) => {
  test(`a person who texts STOP as ${number} gets no text as ${form}, by send, template and campaign`, async () => {
    const { shop, phone } = await makeShop()
    const template = await record(shop, 'sms_templates', { name: 'Hi', body: 'Hi {{name|you}}' })
    await gateway.hear(phone, [[number, 'STOP']])
    await send(shop, [form])
    await must(shop, 'POST', '/api/sms/send-template', {
      recipients: [form],
      template_id: template.id,
    })
    const failed = [number, 'failed', 'Recipient has opted out']
    expect(await messagesOf(shop)).toEqual([failed, failed])
    const campaign = await shop.call('POST', '/api/campaigns', { recipients: [form], body: 'Hi' })
    expect(campaign).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('opted out') },
    })
  })

  test(`a person who texts STOP as ${form} gets no text as ${number}, and the contact of either form has opted out`, async () => {
    const { shop, phone } = await makeShop()
    const contact = await record(shop, 'contacts', { phone: form, name: 'Zoe' })
    expect(contact.phone).toBe(number)
    await gateway.hear(phone, [[form, 'STOP']])
    await send(shop, [number])
    expect(await messagesOf(shop)).toEqual([[number, 'failed', 'Recipient has opted out']])
    expect(
      await must(shop, 'GET', `/api/collections/contacts/records/${contact.id}`),
    ).toMatchObject({
      opted_out: true,
    })
    const other = await shop.call('POST', '/api/collections/contacts/records', {
      user: shop.id,
      phone: form,
      name: 'B',
    })
    expect(other.status).toBe(400)
  })

  test(`a person is one recipient, contact, conversation and entry of consents as ${form} and ${number}`, async () => {
    const { shop } = await makeShop()
    expect(await send(shop, [form, number])).toMatchObject({ recipients_count: 1 })
    expect((await messagesOf(shop)).map(([to]) => to)).toEqual([number])
    const { id } = await record(shop, 'contacts', { phone: '+4930123456', name: 'Zoe' })
    expect(
      await must(shop, 'PATCH', `/api/collections/contacts/records/${id}`, { phone: form }),
    ).toMatchObject({
      phone: number,
    })
    expect(await record(shop, 'conversations', { number: form })).toMatchObject({ number })
    expect(await record(shop, 'consents', { number: form, event: 'opt_in' })).toMatchObject({
      number,
      contact: id,
    })
    expect(
      await record(shop, 'hooks', { name: 'H', preset: 'text', recipients: [form] }),
    ).toMatchObject({
      recipients: [number],
    })
    const campaign = await must(shop, 'POST', '/api/campaigns', {
      recipients: [form, number],
      body: 'Hi',
      scheduled_at: '2090-01-01T00:00:00Z',
    })
    expect(campaign).toMatchObject({ recipients_count: 1 })
  })

  test(`a person who was erased as ${form} gets no text as ${number}`, async () => {
    const { shop } = await makeShop()
    await send(shop, [number])
    await must(shop, 'POST', '/api/person/erase', { number: form, reason: 'Asked' })
    const places = () => must(shop, 'POST', '/api/person/erase', { number, preview: true })
    await expect.poll(async () => (await places()).stopped, { timeout: 20_000 }).toBe(true)
    await send(shop, [form])
    expect((await messagesOf(shop)).at(-1)).toEqual([
      number,
      'failed',
      'Recipient is on the stop list',
    ])
  })
})

test('a person of a national number without a country is exported and erased by the conversation', async () => {
  const { shop, phone } = await makeShop()
  await gateway.hear(phone, [
    ['0151 2000001', 'My secret'],
    ['BANK', 'Hello'],
    ['72722', 'Hello'],
  ])
  const person = (path: string, number: string, more: object = {}) =>
    shop.call('POST', `/api/person/${path}`, { number, ...more })
  const ended = async ({ body: { id } }: { body: { id: string } }) => {
    const read = () => must(shop, 'GET', `/api/collections/person_requests/records/${id}`)
    await expect.poll(async () => (await read()).state, { timeout: 20_000 }).toBe('done')
    return read()
  }
  expect((await ended(await person('data', '0151 2000001'))).counts).toMatchObject({
    conversations: 1,
  })
  await ended(await person('erase', '0151 2000001', { reason: 'Asked' }))
  const left = `select "from", body from sms_messages where "user" = $1 order by 1`
  expect(await gateway.query(left, [shop.id])).toEqual([
    ['', ''],
    ['72722', 'Hello'],
    ['BANK', 'Hello'],
  ])
  for (const other of ['BANK', '72722', '0151 2000002', ''])
    expect((await person('erase', other, { preview: true })).status).toBe(400)
})

test('a line keeps a second form of its own number, by which its carrier knows it, and sends by it', async () => {
  const { shop, phone } = await makeShop()
  const [line] = (await must(shop, 'GET', '/api/collections/lines/records')).items
  const path = `/api/collections/lines/records/${line.id}`
  expect(await must(shop, 'PATCH', path, { number: '+5215512345678' })).toMatchObject({
    number: '+5215512345678',
  })
  await send(shop, ['+4915120000010'], { from: '+5215512345678' })
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 5 })
  expect(items).toHaveLength(1)
})

test('a SIM whose number has decimals, brackets or a footnote never gets another number', async () => {
  const { shop, phone } = await makeShop()
  const numbers = [
    '+4917012345670.0',
    '(+49) 151/20000010',
    '+49 30 1234567[1]',
    '1.70e9',
    '0151 20000011',
  ]
  const sims = numbers.map((number, i) => ({ slot: i + 1, number, country: 'DE' }))
  await must(shop, 'PATCH', `/api/collections/devices/records/${phone.id}`, { sims })
  const lines = await gateway.query(
    'select number from lines where device = $1 and slot > 0 order by slot',
    [phone.id],
  )
  expect(lines.flat()).toEqual(['+4917012345670', '+4915120000010', '', '', '+4915120000011'])
})

test('destinations and prefixes of lines begin as the numbers do that are stored', async () => {
  const { shop } = await makeShop()
  const settings = await must(gateway.superuser, 'POST', '/api/collections/user_settings/records', {
    user: shop.id,
    destinations: '+521,+5411',
  })
  expect(settings.destinations).toBe('+52,+54911')
  await send(shop, ['+5215512345678', '+541123456789'])
  expect(await messagesOf(shop)).toHaveLength(2)
})
