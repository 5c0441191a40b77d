import { deleteRecords } from '../../../src/engine/records/cascade.ts'
import { TestListener } from '../../engine/realtime/test-listener.ts'
import { recordPlans } from '../../support/database/plans.ts'
import { client, must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

// Labels: Ann's account with the member Ben. Eve has an account of her own.

const ZOE = '+4915112345678'
const MAX = '+4915187654321'
const server = await startServerWithDevices()
const ann = await server.makeUser()
const eve = await server.makeUser()
const phone = await server.pair(ann)
const pathOf = (collection: string) => `/api/collections/${collection}/records`
/** A new member of Ann's account, who acts for it. */
async function join(role: string) {
  const member = await server.makeUser()
  const values = { account: ann.id, member: member.id, role }
  const { id } = await must(server.superuser, 'POST', pathOf('members'), values)
  const { token } = await must(member, 'POST', '/api/account/act-for', { account: ann.id })
  return client(server.url, id, token)
}

const ben = await join('agent')
const viewer = await join('viewer')
const make = (collection: string, values: object, by = ann) =>
  must(by, 'POST', pathOf(collection), { user: by === eve ? eve.id : ann.id, ...values })
const list = async (collection: string, filter: string, by = ann) =>
  (await must(by, 'GET', `${pathOf(collection)}?filter=${encodeURIComponent(filter)}`)).items
const change = (collection: string, id: string, values: object, by = ann) =>
  must(by, 'PATCH', `${pathOf(collection)}/${id}`, values)
const findConversation = async (number: string) =>
  (await list('conversations', `number = "${number}"`))[0]
const findContact = async (number: string) => (await list('contacts', `phone = "${number}"`))[0]
const hear = (number: string) => server.hear(phone, [[number, 'Hello']])

let vip: string
let late: string
beforeEach(async () => {
  for (const table of ['conversations', 'contacts', 'labels', 'sms_messages'])
    await server.query(`delete from ${table}`)
  vip = (await make('labels', { name: 'VIP', color: 'red' })).id
  late = (await make('labels', { name: 'Late' })).id
})

test('members read labels, agents make and change them, admins delete them', async () => {
  expect((await make('labels', { name: 'By Ben', color: 'blue' }, ben)).color).toBe('blue')
  expect((await list('labels', 'name = "Late"', viewer))[0].color).toBe('gray')
  const path = `${pathOf('labels')}/${late}`
  const statusOf = async (by: typeof ann, method: string, body?: object) =>
    (await by.call(method, path, body)).status
  expect(await statusOf(viewer, 'PATCH', { name: 'Other' })).toBe(403)
  expect(await statusOf(ben, 'DELETE')).toBe(403)
  expect(await statusOf(eve, 'PATCH', { name: 'Other' })).toBe(404)
  expect(await statusOf(ben, 'PATCH', { name: 'Later' })).toBe(200)
  expect(await statusOf(ann, 'DELETE')).toBe(204)
})

test('a name is unique in an account, in any case of letters', async () => {
  const answer = await ann.call('POST', pathOf('labels'), { user: ann.id, name: 'vip' })
  expect(answer.status).toBe(400)
  await make('labels', { name: 'vip' }, eve)
})

test('labels and views have names without blanks around them, and no name of blanks alone', async () => {
  for (const [collection, name] of [
    ['labels', 'Regular'],
    ['inbox_views', 'Who waits'],
  ] as const) {
    const { id } = await make(collection, { name: ` ${name} ` })
    expect((await change(collection, id, { name: `${name}\t` })).name).toBe(name)
    const path = pathOf(collection)
    const blank = { user: ann.id, name: ' \t' }
    const answers = [
      await ann.call('POST', path, blank),
      await ann.call('PATCH', `${path}/${id}`, { name: blank.name }),
    ]
    for (const { status, body } of answers)
      expect([status, body.data.name?.code]).toEqual([400, 'validation_required'])
  }
  const twice = await ann.call('POST', pathOf('labels'), { user: ann.id, name: ' VIP' })
  expect([twice.status, twice.body.data.name?.code]).toEqual([400, 'validation_not_unique'])
})

test('an account has at most 100 labels', async () => {
  await server.query(
    `insert into labels (id, "user", name, color, created, updated)
     select 'label' || lpad(i::text, 10, '0'), $1, 'Label ' || i, 'gray', '', '' from generate_series(1, 97) i`,
    [ann.id],
  )
  const tries = Array.from({ length: 3 }, (_, i) =>
    ann.call('POST', pathOf('labels'), { user: ann.id, name: `More ${i}` }),
  )
  const answers = await Promise.all(tries)
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
})

test('the conversation and the contact of a number have the same labels', async () => {
  await hear(ZOE)
  const { id } = await findConversation(ZOE)
  await change('conversations', id, { labels: [vip] }, ben)
  const contact = await make('contacts', { name: 'Zoe', phone: ZOE, labels: [late] })
  expect((await findContact(ZOE)).labels).toEqual([late, vip])
  expect((await findConversation(ZOE)).labels).toEqual([late, vip])
  await change('contacts', contact.id, { 'labels-': late })
  expect((await findConversation(ZOE)).labels).toEqual([vip])

  const other = await make('contacts', { name: 'Max', phone: MAX, labels: [late] })
  await hear(MAX)
  expect((await findConversation(MAX)).labels).toEqual([late])
  await change('contacts', other.id, { phone: '+4915100000001' })
  expect((await findConversation(MAX)).labels).toEqual([late])
})

test('two members who add labels at once both keep theirs', async () => {
  await hear(ZOE)
  await make('contacts', { name: 'Zoe', phone: ZOE })
  const { id } = await findConversation(ZOE)
  const contact = (await findContact(ZOE)).id
  await Promise.all([
    change('conversations', id, { 'labels+': vip }, ann),
    change('contacts', contact, { 'labels+': late }, ben),
  ])
  expect((await findConversation(ZOE)).labels.toSorted()).toEqual([vip, late].toSorted())
  expect((await findContact(ZOE)).labels.toSorted()).toEqual([vip, late].toSorted())
})

test('labels of other accounts are refused', async () => {
  const foreign = (await make('labels', { name: 'Hers' }, eve)).id
  await hear(ZOE)
  const { id } = await findConversation(ZOE)
  for (const [path, body] of [
    [`${pathOf('conversations')}/${id}`, { labels: [foreign] }],
    [`${pathOf('conversations')}/${id}`, { 'labels+': foreign }],
  ] as const)
    expect((await ann.call('PATCH', path, body)).body.data.labels.code).toBe(
      'validation_invalid_labels',
    )
  const contact = { user: ann.id, phone: MAX, labels: [foreign] }
  expect((await ann.call('POST', pathOf('contacts'), contact)).status).toBe(400)
})

test('filters find conversations and contacts by the name of a label', async () => {
  await hear(ZOE)
  await make('contacts', { name: 'Zoe', phone: ZOE, labels: [vip, late] })
  await hear(MAX)
  for (const filter of [
    'labels.name ?= "VIP"',
    `labels:each ?= "${late}"`,
    `labels ~ "${late}"`,
    'labels:length > 1',
  ])
    expect(
      (await list('conversations', filter)).map((one: { number: string }) => one.number),
    ).toEqual([ZOE])
  expect((await list('contacts', 'labels.name ?= "VIP"'))[0].phone).toBe(ZOE)
})

test('a deleted label leaves its conversations and contacts, and members hear of each change', async () => {
  await hear(ZOE)
  await make('contacts', { name: 'Zoe', phone: ZOE, labels: [late] })
  const { id } = await findConversation(ZOE)
  const ear = await TestListener.on(server.url, ben.token, 'conversations', 'contacts', 'labels')
  await change('conversations', id, { 'labels+': vip })
  const heard = (await ear.next(2)).map(({ event, data }) => [event, data.record.labels])
  expect(heard).toContainEqual(['conversations', [late, vip]])
  expect(heard).toContainEqual(['contacts', [late, vip]])
  await must(ann, 'DELETE', `${pathOf('labels')}/${vip}`)
  expect((await findConversation(ZOE)).labels).toEqual([late])
  expect((await findContact(ZOE)).labels).toEqual([late])
  const left = (await ear.next(3)).map(({ event, data }) => `${event} ${data.action}`)
  expect(new Set(left)).toEqual(
    new Set(['labels delete', 'conversations update', 'contacts update']),
  )
})

test('the deletion of a label reads no conversations and contacts without it', async () => {
  for (const [table, number] of [
    ['conversations', 'number'],
    ['contacts', 'phone'],
  ] as const) {
    await server.query(
      `insert into ${table} (id, "user", ${number}, labels, created, updated)
       select pb_new_id(), $1, '+49151' || n, array['label' || n % 500], '', '' from generate_series(1, 3000) n`,
      [eve.id],
    )
    await server.query(`vacuum analyze ${table}`)
  }
  const { store } = server.server.services
  const { db, plans } = recordPlans(store.db)
  const labels = store.catalog.find('labels')!
  await deleteRecords({ db, catalog: store.catalog }, new Map(), labels, [vip])
  for (const table of ['conversations', 'contacts']) {
    const [plan] = plans.filter((one) => one.startsWith(`with written as (update "${table}"`))
    expect(plan).toContain(`Bitmap Index Scan on ${table}_labelled`)
    expect(plan).not.toContain(`Seq Scan on ${table}`)
  }
})

test('a number that was stored in its national form keeps the labels of both conversations', async () => {
  const [national, joined] = ['015112345678', ZOE]
  await make('conversations', { number: joined, labels: [vip] })
  await server.query(
    `insert into conversations (id, "user", number, labels, created, updated)
     values ('conversation001', $1, $2, $3, '', '')`,
    [ann.id, national, [late]],
  )
  await server.query(
    `insert into contacts (id, "user", name, phone, labels, created, updated)
     values ('contact00000001', $1, 'Zoe', $2, $3, '', '')`,
    [ann.id, national, [late]],
  )
  await server.query('select sms_conversation_join($1, $2, $3)', [ann.id, national, joined])
  for (const { labels } of [await findConversation(joined), await findContact(joined)])
    expect(labels.toSorted()).toEqual([vip, late].toSorted())
})

test('the answer of the inbox has the labels of the account', async () => {
  await make('labels', { name: 'Hers' }, eve)
  const { labels } = await must(viewer, 'GET', '/api/account/inbox')
  expect(labels).toEqual([
    { id: late, name: 'Late', color: 'gray' },
    { id: vip, name: 'VIP', color: 'red' },
  ])
})

test('an automatic answer and a hook label conversations and contacts', async () => {
  await server.query('delete from auto_answers')
  await make('auto_answers', {
    ...{ match: 'first_word', value: 'price', body: '9 euros', enabled: true, label: vip },
  })
  await make('contacts', { name: 'Zoe', phone: ZOE })
  await server.hear(phone, [[ZOE, 'Price?']])
  await until('the label', async () => (await findConversation(ZOE)).labels.length > 0)
  expect((await findConversation(ZOE)).labels).toEqual([vip])
  expect((await findContact(ZOE)).labels).toEqual([vip])

  await make('contacts', { name: 'Max', phone: MAX })
  const hook = await make('hooks', {
    ...{ name: 'Alarm', preset: 'text', recipients: [ZOE, MAX], label: late },
  })
  await must(server.guest, 'POST', `/api/hooks/${hook.secret}`, { text: 'Door open' })
  expect((await findConversation(ZOE)).labels).toEqual([vip, late])
  expect((await findContact(MAX)).labels).toEqual([late])
  await must(ann, 'DELETE', `${pathOf('labels')}/${late}`)
  const again = await must(server.guest, 'POST', `/api/hooks/${hook.secret}`, { text: 'Again' })
  expect(again.outcome).toBe('sent')
  expect((await findContact(MAX)).labels).toEqual([])
})

test('answers and hooks refuse the label of another account', async () => {
  const label = (await make('labels', { name: 'Hers' }, eve)).id
  const answer = { user: ann.id, match: 'any', body: 'Hello', label }
  const hook = { user: ann.id, name: 'Alarm', preset: 'text', recipients: [ZOE], label }
  for (const [collection, values] of [
    ['auto_answers', answer],
    ['hooks', hook],
  ] as const)
    expect((await ann.call('POST', pathOf(collection), values)).body.data).toMatchObject({
      label: { code: 'validation_invalid_label' },
    })
})
