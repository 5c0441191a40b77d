import { request } from '../../support/server/request.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

const server = await startServerWithDevices()
const ann: Client = await server.makeUser()
const ben: Client = await server.makeUser()
const phone = await server.pair(ann, { platform: 'simulator' })
await server.pair(ben, { platform: 'simulator' })

const CONTACTS = '/api/collections/contacts/records'
const OUT = 'Recipient has opted out'
let numbers = 62_000_000
const nextNumber = () => `+4915${numbers++}`
const record = (collection: string, values: object, by = ann) =>
  must(by, 'POST', `/api/collections/${collection}/records`, { user: by.id, ...values })
const hear = (number: string, ...bodies: string[]) =>
  server.hear(
    phone,
    bodies.map((body) => [number, body] as const),
  )
const contactOf = async (number: string) =>
  (
    await server.query('select id, opted_out from contacts where phone = $1 and "user" = $2', [
      number,
      ann.id,
    ])
  )[0] as [string, boolean] | undefined
const deleteContact = async (number: string) =>
  await must(ann, 'DELETE', `${CONTACTS}/${(await contactOf(number))![0]}`)
const events = async (number: string) =>
  (
    await server.query(
      'select event from consents where number = $1 and "user" = $2 order by _rowid',
      [number, ann.id],
    )
  ).flat()
const stateOf = (ids: string[]) =>
  server.query('select status, error_message from sms_messages where id = $1', ids)
/** Why a text to the number fails; '' for a text that leaves. */
async function reasonOfSend(number: string, by = ann) {
  const { message_ids } = await must(by, 'POST', '/api/sms/send', {
    recipients: [number],
    body: 'Hi',
  })
  const [row] = await server.query(
    'select error_message from sms_messages where id = $1',
    message_ids,
  )
  return row![0]
}
/** A number that has texted STOP, and whose contact was deleted. */
async function stopped() {
  const number = nextNumber()
  await hear(number, 'STOP')
  await deleteContact(number)
  return number
}

test('a number that texted STOP gets no text after its contact was deleted', async () => {
  const number = await stopped()
  expect(await reasonOfSend(number)).toBe(OUT)
  const preview = await must(ann, 'POST', '/api/sms/preview', { recipients: [number], body: 'Hi' })
  expect(preview).toMatchObject({ recipients_count: 1, opted_out: 1 })
  expect(await reasonOfSend(number, ben)).toBe('')
})

test.each([
  ['changed', { phone: true }],
  ['made', {}],
])(
  'a text that no device has fetched fails at once when a contact is %s by hand as opted out',
  async (_, has) => {
    const number = nextNumber()
    const contact = 'phone' in has ? await record('contacts', { phone: number }) : undefined
    const { message_ids } = await must(ann, 'POST', '/api/sms/send', {
      recipients: [number],
      body: 'Hi',
    })
    const used = async () => (await must(ann, 'GET', '/api/sms/usage')).used
    const before = await used()
    if (contact) await must(ann, 'PATCH', `${CONTACTS}/${contact.id}`, { opted_out: true })
    else await record('contacts', { phone: number, opted_out: true })
    expect(await stateOf(message_ids)).toEqual([['failed', OUT]])
    expect(await used()).toBe(before - 1)
  },
)

test('a scheduled text fails when its contact is opted out by hand and deleted before it is due', async () => {
  const number = nextNumber()
  const { id } = await record('contacts', { phone: number })
  const { message_ids } = await must(ann, 'POST', '/api/sms/send', {
    recipients: [number],
    body: 'Hi',
    scheduled_at: '2090-01-01T00:00:00Z',
  })
  await must(ann, 'PATCH', `${CONTACTS}/${id}`, { opted_out: true })
  await deleteContact(number)
  await server.query('update sms_dispatch set due_at = now() where message = $1', message_ids)
  await until('it is due', async () => (await stateOf(message_ids))[0]![0] !== 'pending')
  expect(await stateOf(message_ids)).toEqual([['failed', OUT]])
})

test.each([
  ['the record API', {}],
  ['an import', { 'consent-source': 'import' }],
])('a contact that %s makes again is opted out, without a new entry', async (_, headers) => {
  const number = await stopped()
  const values = { user: ann.id, phone: number, opted_out: false }
  const made = await request(server.url, 'POST', CONTACTS, values, {
    authorization: ann.token,
    ...headers,
  })
  expect(made.body.opted_out).toBe(true)
  expect(await contactOf(number)).toEqual([made.body.id, true])
  expect(await reasonOfSend(number)).toBe(OUT)
  expect(await events(number)).toEqual(['opt_out'])
  await must(ann, 'PATCH', `${CONTACTS}/${made.body.id}`, { opted_out: false })
  expect(await reasonOfSend(number)).toBe('')
})

test('a contact of another account is not opted out', async () => {
  const number = await stopped()
  await record('contacts', { phone: number }, ben)
  expect(await reasonOfSend(number, ben)).toBe('')
})

test('a contact that gets a number that has opted out is opted out', async () => {
  const number = await stopped()
  const { id, opted_out } = await record('contacts', { phone: nextNumber() })
  const changed = await must(ann, 'PATCH', `${CONTACTS}/${id}`, { phone: number })
  expect([opted_out, changed.opted_out]).toEqual([false, true])
  expect(await contactOf(number)).toEqual([id, true])
})

test('a number stays opted out after its contact got another number', async () => {
  const number = nextNumber()
  await hear(number, 'STOP')
  await must(ann, 'PATCH', `${CONTACTS}/${(await contactOf(number))![0]}`, { phone: nextNumber() })
  expect(await reasonOfSend(number)).toBe(OUT)
})

test('START opts in a number without a contact', async () => {
  const number = await stopped()
  await hear(number, 'START')
  expect(await events(number)).toEqual(['opt_out', 'opt_in'])
  expect(await reasonOfSend(number)).toBe('')
  const { id } = await record('contacts', { phone: number })
  expect(await contactOf(number)).toEqual([id, false])
})

test.each([
  ['with', 'NEWS', true],
  ['without', 'OFFERS', false],
])(
  'a word that joins a group %s a confirmation opts in a number without a contact',
  async (_, word, join_confirm) => {
    const group = await record('contact_groups', { name: word, join_words: word, join_confirm })
    const number = await stopped()
    await hear(number, word)
    const answers = () =>
      server.query(
        `select error_message from sms_messages where "to" = $1 and client_ref like 'auto:%'`,
        [number],
      )
    await until('the answer', async () => (await answers()).length > 0)
    expect(await answers()).toEqual([['']])
    if (join_confirm) await hear(number, 'YES')
    expect(await contactOf(number)).toMatchObject([expect.any(String), false])
    await deleteContact(number)
    const { id } = await record('contacts', { phone: number, groups: [group.id] })
    expect(await contactOf(number)).toEqual([id, false])
    await hear(number, 'STOP')
    await deleteContact(number)
    expect(await reasonOfSend(number)).toBe(OUT)
  },
)

test('a consent to a group by a form leaves a number without a contact opted out', async () => {
  const group = await record('contact_groups', { name: nextNumber() })
  const number = await stopped()
  await record('consents', {
    number,
    group: group.id,
    event: 'opt_in',
    source: 'page',
    shown: 'Yes',
  })
  expect(await contactOf(number)).toMatchObject([expect.any(String), true])
  expect(await reasonOfSend(number)).toBe(OUT)
})

describe('an opt-out stays', () => {
  const given_at = '2019-05-01 10:00:00.000Z'
  test.each([
    ['an import', { event: 'imported' }],
    ['an import with the text that people agreed to', { event: 'imported', shown: 'Yes' }],
    ['an older consent', { event: 'opt_in', shown: 'Yes', given_at }],
  ])('an opt-out stays after the entry of %s', async (_, entry) => {
    const number = nextNumber()
    await hear(number, 'STOP')
    await record('consents', { number, ...entry })
    expect(await reasonOfSend(number)).toBe(OUT)
    await deleteContact(number)
    const { id } = await record('contacts', { phone: number })
    expect(await contactOf(number)).toEqual([id, true])
  })

  test('an opt-out stays after the older consent to a group', async () => {
    const group = await record('contact_groups', { name: nextNumber() })
    const number = nextNumber()
    await hear(number, 'STOP')
    await record('consents', { number, group: group.id, event: 'opt_in', shown: 'Yes', given_at })
    expect(await reasonOfSend(number)).toBe(OUT)
    await deleteContact(number)
    expect(await reasonOfSend(number)).toBe(OUT)
  })
})

test('a group stays left after an import with the text that people agreed to', async () => {
  const group = await record('contact_groups', { name: nextNumber() })
  const number = nextNumber()
  const { id } = await record('contacts', { phone: number, groups: [group.id] })
  await record('consents', { number, group: group.id, event: 'opt_out' })
  await record('consents', { number, group: group.id, event: 'imported', shown: 'Yes' })
  await must(ann, 'PATCH', `${CONTACTS}/${id}`, { groups: [group.id] })
  const to = { recipients: [], group_ids: [group.id], body: 'Sale' }
  expect(await must(ann, 'POST', '/api/sms/preview', to)).toMatchObject({
    recipients_count: 1,
    opted_out: 1,
  })
  const { message_ids } = await must(ann, 'POST', '/api/sms/send', to)
  const again = await ann.call('POST', `/api/sms/messages/${message_ids[0]}/retry`, {})
  expect([again.status, again.body.error]).toEqual([409, 'not_retriable'])
})
