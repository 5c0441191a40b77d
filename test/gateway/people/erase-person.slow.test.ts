import { tablesWith } from '../../support/database/dump.ts'
import {
  client,
  must,
  openStream,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { ended, jobDeleted, makeShop, seedPerson } from './person-fixture.ts'

const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const of = await makeShop(gateway)
const { shop } = of
const { db } = gateway.server.services.store

const count = async (sql: string, ...params: unknown[]) =>
  Number((await gateway.query(`select count(*) from ${sql}`, params))[0]![0])
const preview = (contact: string) =>
  must(shop, 'POST', `/api/contacts/${contact}/erase`, { preview: true })
async function erase(contact: string, reason = 'Asked by mail') {
  const { id } = await must(shop, 'POST', `/api/contacts/${contact}/erase`, { reason })
  return ended(shop, id)
}

test('a preview counts the data and the open texts, and erases no data', async () => {
  const person = await seedPerson(of)
  const found = await preview(person.contact)
  expect(found).toMatchObject({ number: person.number, contact: person.contact, stopped: false })
  expect(found.name).toBe(person.secrets[0])
  // claimed, scheduled, two campaigns, a list, a code and the alert of the hook
  expect(found.open_texts).toBe(7)
  const counts = Object.fromEntries(
    found.places.map(({ place, count }: { place: string; count: number }) => [place, count]),
  )
  expect(counts).toMatchObject({
    contacts: 1,
    conversations: 1,
    hook_calls: 1,
    hooks: 1,
    webhooks: 1,
    _files: 1,
  })
  expect(await preview(person.contact)).toEqual(found)
  expect(await count('person_requests where kind = $1', 'erasure')).toBe(0)
})

test('an erasure needs a reason', async () => {
  const path = '/api/person/erase'
  for (const body of [{}, { reason: ' ' }, { preview: false }])
    expect((await shop.call('POST', path, { number: '+4915112345678', ...body })).status).toBe(400)
})

test("an erasure removes the person's data from every table and no data of others", async () => {
  const [person, other] = [await seedPerson(of), await seedPerson(of)]
  const before = (await preview(other.contact)).places
  const events = await openStream(gateway.url, shop.token, '/api/realtime')
  const { data } = await events.next('PB_CONNECT')
  await must(shop, 'POST', '/api/realtime', {
    clientId: JSON.parse(data).clientId,
    subscriptions: ['contacts/*', 'sms_messages/*', 'conversations/*', 'consents/*'],
  })
  await of.gateway.hear(of.phone, [[person.number, `${person.secrets[1]} again`]])
  const [name] = person.secrets
  const done = await erase(person.contact, `${name} of ${person.spellings[4]} asked`)
  expect(done).toMatchObject({
    state: 'done',
    number: '',
    kind: 'erasure',
    asked_by: shop.id,
    reason: '… of … asked',
  })
  expect(done.counts).toMatchObject({ contacts: 1, conversations: 1, consents: expect.any(Number) })
  expect(await tablesWith(db, [...person.secrets, ...person.spellings])).toEqual([])
  expect((await preview(other.contact)).places).toEqual(before)
  const gone = await events.next('contacts/*')
  await events.close()
  expect(gone.data).not.toContain(name)
})

test('an erasure cancels waiting texts, refunds their quota, and keeps their records without number and text', async () => {
  const number = '+4915122233344'
  const { message_ids } = await must(shop, 'POST', '/api/sms/send', {
    recipients: [number],
    body: 'Private',
  })
  const used = async () => (await must(shop, 'GET', '/api/sms/usage')).used
  const before = await used()
  const { id } = await must(shop, 'POST', '/api/person/erase', { number, reason: 'Asked' })
  await ended(shop, id)
  expect(await used()).toBe(before - 1)
  expect(
    await must(shop, 'GET', `/api/collections/sms_messages/records/${message_ids[0]}`),
  ).toMatchObject({
    to: '',
    body: '',
    status: 'failed',
    error_message: 'Canceled',
    segments: 1,
  })
  const { items } = await must(of.phone, 'POST', '/api/devices/claim', { limit: 50 })
  expect(items.map((item: { id: string }) => item.id)).not.toContain(message_ids[0])
})

test('an erased consent leaves a hash, and the request keeps its author and reason', async () => {
  const person = await seedPerson(of)
  const entries = await count('consents where number = $1', person.number)
  const hashes = await count('_consents_forgotten')
  const done = await erase(person.contact)
  expect(await count('_consents_forgotten')).toBe(hashes + entries)
  expect(done).toMatchObject({ reason: 'Asked by mail', asked_by: shop.id })
  expect(done.hash).toMatch(/^[0-9a-f]{64}$/)
})

test('an erasure by a member has an entry in the audit log', async () => {
  const member = await gateway.makeUser()
  await must(gateway.superuser, 'POST', '/api/collections/members/records', {
    account: shop.id,
    member: member.id,
    role: 'admin',
  })
  const { token } = await must(member, 'POST', '/api/account/act-for', { account: shop.id })
  const acting = client(gateway.url, member.id, token)
  const { id } = await must(acting, 'POST', '/api/person/erase', {
    number: '+4915133344455',
    reason: 'Asked',
  })
  const { items } = await must(shop, 'GET', '/api/collections/account_audit/records?sort=-@rowid')
  expect(items[0]).toMatchObject({
    action: 'erasure of a person',
    collection: 'person_requests',
    record: id,
  })
  await ended(shop, id)
})

test('the next run finishes an erasure that was interrupted', async () => {
  const person = await seedPerson(of)
  const { id } = await must(shop, 'POST', `/api/contacts/${person.contact}/erase`, {
    reason: 'Asked',
  })
  await ended(shop, id)
  await jobDeleted(gateway, id)
  // as if the node had died after the last transaction, before the statistics
  await db.query(`update person_requests set state = 'running' where id = $1`, [id])
  await db.query(`insert into _jobs (kind, holder, key) values ('person', $1, $2)`, [shop.id, id])
  expect(await ended(shop, id)).toMatchObject({ state: 'done', number: '' })
})

test('a text that a device reports again after an erasure is not stored', async () => {
  const number = '+4915144455566'
  const items = [{ from: number, body: 'Once', received_at: '2026-11-20T07:00:00Z' }]
  const { ids: first } = await must(of.phone, 'POST', '/api/devices/incoming', { items })
  const { id } = await must(shop, 'POST', '/api/person/erase', { number, reason: 'Asked' })
  await ended(shop, id)
  expect((await must(of.phone, 'POST', '/api/devices/incoming', { items })).ids).toEqual(first)
  expect(await tablesWith(db, [number])).toEqual([])
})

test("an erasure of a line's own number keeps the texts that the line exchanged with others", async () => {
  const line = '+4915155566677'
  await must(shop, 'PATCH', `/api/collections/devices/records/${of.phone.id}`, { phone: line })
  const { message_ids } = await must(shop, 'POST', '/api/sms/send', {
    recipients: ['+4915166677788'],
    body: 'Stays',
  })
  await gateway.hear(of.phone, [['+4915166677788', 'Stays, too']])
  const { id } = await must(shop, 'POST', '/api/person/erase', { number: line, reason: 'Asked' })
  await ended(shop, id)
  expect(
    await must(shop, 'GET', `/api/collections/sms_messages/records/${message_ids[0]}`),
  ).toMatchObject({
    body: 'Stays',
  })
  expect(await count(`sms_messages where body = 'Stays, too'`)).toBe(1)
})
