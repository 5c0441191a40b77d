import { USERS_ID } from '../../../src/engine/collections/collection.ts'
import { reopenDueFollowUps } from '../../../src/gateway/conversations/reopen-follow-ups.ts'
import { makeAccountHolder } from '../../../src/platform/limits/limit-holder.ts'
import { admission } from '../../../src/platform/limits/shared-limits.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { TestListener } from '../../engine/realtime/test-listener.ts'
import { FORGET_CONSENTS } from '../../support/database/forget-consents.ts'
import { runServer } from '../../support/database/open.ts'
import { request } from '../../support/server/request.ts'
import {
  type Client,
  client,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

// The inbox that the people of an account share: Ann's, with the member Ben. Eve has an account of her own.

const ZOE = '+4915112345678'
const MAX = '+4915187654321'
const EVA = '+4915187654322'
const CONVERSATIONS = '/api/collections/conversations/records'
const NOTES = '/api/collections/conversation_notes/records'
const DRAFTS = '/api/collections/conversation_drafts/records'

const server = await startServerWithDevices()
const other = await runServer(server.server.services.config, createLogger({ logLevel: 'silent' }))
const { db } = server.server.services.store
const ann = await server.makeUser()
const eve = await server.makeUser()
const phone = await server.pair(ann)
const settings = (values: object) =>
  server
    .query('delete from user_settings where "user" = $1', [ann.id])
    .then(() =>
      ann.call('POST', '/api/collections/user_settings/records', { user: ann.id, ...values }),
    )
async function join(role: string) {
  const member = await server.makeUser()
  const values = { account: ann.id, member: member.id, role }
  const made = await server.superuser.call('POST', '/api/collections/members/records', values)
  expect(made.status, JSON.stringify(made.body)).toBe(200)
  return { id: made.body.id as string, member }
}
const act = async ({ id, member }: Awaited<ReturnType<typeof join>>) => {
  const { body } = await member.call('POST', '/api/account/act-for', { account: ann.id })
  return client(server.url, id, body.token)
}
let membership: Awaited<ReturnType<typeof join>>
let ben: string

beforeEach(async () => {
  const written = [
    'conversations',
    'sms_dispatch',
    'sms_messages',
    'members',
    'contacts',
    'user_settings',
  ]
  for (const table of written) await server.query(`delete from ${table}`)
  await server.query(FORGET_CONSENTS)
  membership = await join('agent')
  ben = membership.id
})

const hear = (...texts: (readonly [string, string])[]) => server.hear(phone, texts)
const conversation = async (number = ZOE) => {
  const filter = encodeURIComponent(`number = "${number}"`)
  return (await ann.call('GET', `${CONVERSATIONS}?filter=${filter}`)).body.items[0]
}
const change = (values: object, id: string, who = ann) =>
  who.call('PATCH', `${CONVERSATIONS}/${id}`, values)
const counts = async () => (await ann.call('GET', '/api/account/inbox')).body
const send = async (to: string, key?: string) => {
  const login: Record<string, string> = key ? { 'x-api-key': key } : { authorization: ann.token }
  const message = { recipients: [to], body: 'From us' }
  expect((await request(server.url, 'POST', '/api/sms/send', message, login)).status).toBe(200)
}
const makeKey = async () =>
  (await ann.call('POST', '/api/collections/api_keys/records', { user: ann.id, name: 'Shop' })).body
const NOBODY = {
  mine: 0,
  unassigned: 0,
  all: 0,
  waiting: 0,
  archived: 0,
  blocked: 0,
  follow_up: 0,
  unread: 0,
  failed: 0,
  opted_out: [],
  labels: [],
  views: [],
}

const senders = async () => {
  const { body } = await ann.call(
    'GET',
    '/api/collections/sms_messages/records?sort=@rowid&expand=sent_by',
  )
  const sent = body.items as { sent_by: string; expand?: { sent_by?: { kind: string } } }[]
  return sent.map(({ sent_by, expand }) => [sent_by, expand?.sent_by?.kind])
}

test('a message records its sender: a person, an API key, a campaign or an automatic answer', async () => {
  const key = await makeKey()
  await send(MAX)
  await send(MAX, key.key)
  const texts = { recipients: [MAX, ZOE], body: 'To many' }
  const campaign = (await ann.call('POST', '/api/campaigns', texts)).body.id
  await until('the campaign', async () => (await senders()).length === 4)
  const values = { user: ann.id, match: 'any', body: 'Closed', enabled: true }
  const answer = (await ann.call('POST', '/api/collections/auto_answers/records', values)).body.id
  await hear([ZOE, 'Hello'])
  await until('the answer', async () => (await senders()).length === 6)
  expect(await senders()).toEqual([
    [ann.id, 'owner'],
    [key.id, 'key'],
    [campaign, 'campaign'],
    [campaign, 'campaign'],
    ['', undefined],
    [answer, 'answer'],
  ])
  const path = '/api/collections/sms_messages/records?filter='
  const { body } = await ann.call('GET', path + encodeURIComponent('sent_by.kind = "campaign"'))
  expect(body.totalItems).toBe(2)
  for (const [table, id] of [
    ['api_keys', key.id],
    ['auto_answers', answer],
  ] as const)
    expect((await ann.call('DELETE', `/api/collections/${table}/records/${id}`)).status).toBe(204)
  expect((await senders())[1]).toEqual([key.id, 'key'])
})

describe('the assignee of a conversation', () => {
  test('the assignee of a conversation is the owner or a member of the account who may answer', async () => {
    await hear([ZOE, 'Hello'])
    const { id, assigned_at } = await conversation()
    expect(assigned_at).toBe('')
    const strangers = [eve.id, (await join('viewer')).id, 'nobody000000000', phone.id]
    for (const assignee of strangers) {
      expect((await change({ assignee }, id)).body.data.assignee).toBeDefined()
      const values = { user: ann.id, number: MAX, assignee }
      expect((await ann.call('POST', CONVERSATIONS, values)).body.data.assignee).toBeDefined()
    }
    const { body } = await change({ assignee: ben, assigned_at: '2020-01-01 00:00:00.000Z' }, id)
    expect(body.assigned_at > '2026').toBe(true)
    expect(await counts()).toEqual({ ...NOBODY, all: 1, waiting: 1, unread: 1 })
    await change({ assignee: ann.id }, id)
    expect(await counts()).toMatchObject({ mine: 1, unassigned: 0 })
    expect((await change({ assignee: '' }, id)).body.assigned_at).toBe('')
    expect(await counts()).toMatchObject({ mine: 0, unassigned: 1 })
  })

  test("the assignee of a conversation is cleared when the member becomes a viewer or is removed; a removal also deletes the member's push subscriptions", async () => {
    await hear([ZOE, 'Hello'])
    const { id } = await conversation()
    const member = `/api/collections/members/records/${ben}`
    await change({ assignee: ben }, id)
    await server.superuser.call('PATCH', member, { role: 'viewer' })
    expect(await conversation()).toMatchObject({ assignee: '', assigned_at: '' })
    await server.superuser.call('PATCH', member, { role: 'agent' })
    await change({ assignee: ben }, id)
    await server.query(`insert into push_subscriptions (id, "user", endpoint, keys, user_agent, sender)
      values ('ben', '${ann.id}', 'https://push.example', '{}', '', '${ben}')`)
    await server.superuser.call('DELETE', member)
    expect(await conversation()).toMatchObject({ assignee: '', assigned_at: '' })
    expect(await server.query('select from push_subscriptions')).toEqual([])
  })

  test('the assignee of a conversation is the person who answers first, if the account assigns to the answerer', async () => {
    await hear([ZOE, 'Hello'], [MAX, 'Me too'])
    await send(ZOE)
    expect(await conversation()).toMatchObject({ assignee: '', last_sender: ann.id })
    await settings({ assign: 'answerer' })
    const key = await makeKey()
    await send(ZOE, key.key)
    expect(await conversation()).toMatchObject({ assignee: '', last_sender: key.id })
    await send(ZOE)
    expect(await conversation()).toMatchObject({ assignee: ann.id, last_sender: ann.id })
    await change({ assignee: ben }, (await conversation(MAX)).id)
    await send(MAX)
    expect(await conversation(MAX)).toMatchObject({ assignee: ben })
  })

  test('the assignee of a conversation is chosen exactly in turn, also by two servers, if the account assigns in turns', async () => {
    await settings({ assign: 'turns' })
    await join('viewer')
    const people = [ann.id, ben, (await join('admin')).id].sort()
    const second = client(other.url, phone.id, phone.token)
    const numbers = Array.from({ length: 30 }, (_, i) => `+49151000000${i + 10}`)
    await Promise.all(
      numbers.map((from, i) => server.hear(i % 2 ? second : phone, [[from, 'Hello']])),
    )
    await hear(...numbers.map((from) => [`${from}1`, 'Hello'] as const))
    const shares = `select assignee, count(*), count(distinct assigned_at) from conversations group by 1 order by 1`
    expect(await server.query(shares)).toEqual(people.map((id) => [id, 20, 20]))
    await hear(...numbers.map((from) => [from, 'Again'] as const))
    expect(await server.query(shares)).toEqual(people.map((id) => [id, 20, 20]))
  })
})

describe('waiting conversations', () => {
  test("a blocked number's text is stored but not counted, announced or answered", async () => {
    const values = { user: ann.id, match: 'any', body: 'Closed', enabled: true }
    const answer = (await ann.call('POST', '/api/collections/auto_answers/records', values)).body.id
    await hear([ZOE, 'Spam'])
    const { id } = await conversation()
    const blocked = { blocked: true, unread: 0, unanswered: false, follow_up_at: '' }
    const changed = await change({ blocked: true, follow_up_at: '2099-01-01', unread: 3 }, id)
    expect(changed.body).toMatchObject(blocked)
    await server.query('delete from _jobs')
    await server.query(`insert into push_subscriptions (id, "user", endpoint, keys, user_agent)
      values ('ann', '${ann.id}', 'https://push.example', '{}', '')`)
    for (let i = 0; i < 10; i++)
      await hear(...Array.from({ length: 100 }, (_, k) => [ZOE, `Spam ${i} ${k}`] as const))
    expect(await conversation()).toMatchObject({ ...blocked, last_text: 'Spam 9 99' })
    expect(await server.query(`select count(*) from sms_messages where "from" = '${ZOE}'`)).toEqual(
      [[1001]],
    )
    expect(await server.query('select kind from _jobs')).toEqual([])
    expect(await counts()).toEqual({ ...NOBODY, blocked: 1 })
    await change({ blocked: false }, id)
    await hear([ZOE, 'Sorry'])
    expect(await conversation()).toMatchObject({ unread: 1, unanswered: true })
    const answers = `select count(*) from sms_messages where sent_by = '${answer}'`
    await until('an answer', async () => Number((await server.query(answers))[0]![0]) >= 1)
    await ann.call('DELETE', `/api/collections/auto_answers/records/${answer}`)
  })

  test('an opt-out word does not wait for an answer and ends the wait of earlier texts', async () => {
    await hear([ZOE, 'Hello'])
    await hear([ZOE, 'stop!'], [MAX, 'STOP'], [MAX, 'please'])
    expect(await counts()).toMatchObject({ unassigned: 2, all: 2, waiting: 1, unread: 2 })
    expect(await conversation()).toMatchObject({ unanswered: false, unread: 2 })
  })

  test('the numbers of new conversations that have opted out are named', async () => {
    const contacts = '/api/collections/contacts/records'
    await ann.call('POST', contacts, { user: ann.id, phone: MAX, opted_out: true })
    await hear([ZOE, 'STOP'], [MAX, 'Hello'], [EVA, 'Hello'])
    expect((await counts()).opted_out.toSorted()).toEqual([ZOE, MAX])
    await hear([ZOE, 'START'])
    expect((await counts()).opted_out).toEqual([MAX])
  })

  test('a reminder hides the conversation until it is due or a text arrives', async () => {
    await hear([ZOE, 'Hello'], [MAX, 'Hello'])
    const { id } = await conversation()
    await change({ follow_up_at: '2099-01-01 00:00:00.000Z', archived: true }, id)
    await change({ follow_up_at: '2099-01-01 00:00:00.000Z' }, (await conversation(MAX)).id)
    await reopenDueFollowUps(db)
    expect(await counts()).toEqual({
      ...NOBODY,
      unassigned: 1,
      all: 1,
      archived: 1,
      follow_up: 2,
      unread: 1,
    })
    await hear([MAX, 'Well?'])
    expect(await counts()).toMatchObject({ waiting: 1, follow_up: 1 })
    await change({ follow_up_at: '2026-01-01 00:00:00.000Z', unread: 0 }, id)
    await reopenDueFollowUps(db)
    const isBack = { unanswered: true, unread: 1, archived: false, follow_up_at: '' }
    expect(await conversation()).toMatchObject(isBack)
  })

  test('2,500 due reminders each fire once when two servers process them at once', async () => {
    await server.query(`insert into conversations (id, "user", number, follow_up_at, created, updated)
      select lpad(i::text, 15, 'c'), '${ann.id}', 'n' || i, '2026-01-01', '', '' from generate_series(1, 2500) i`)
    const ear = await TestListener.on(server.url, ann.token, 'conversations')
    await Promise.all([reopenDueFollowUps(db), reopenDueFollowUps(other.services.store.db)])
    expect(await counts()).toMatchObject({ waiting: 1000, follow_up: 0 })
    const told = await ear.next(2_500)
    expect(new Set(told.map(({ data }) => data.record.id)).size).toBe(2_500)
    expect(told).toHaveLength(2_500)
  })
})

test('notes belong to the account and keep their author', async () => {
  await hear([ZOE, 'Hello'])
  const { id } = await conversation()
  const note = { user: ann.id, conversation: id, text: 'Call her', mentions: [ben] }
  const made = (await ann.call('POST', NOTES, { ...note, author: ben })).body
  expect(made).toMatchObject({ author: ann.id, mentions: [ben] })
  const mentioning = async (sender: string) => {
    const filter = `conversation_notes_via_conversation.mentions ?~ "${sender}"`
    return (await ann.call('GET', `${CONVERSATIONS}?filter=${encodeURIComponent(filter)}`)).body
      .items.length
  }
  expect([await mentioning(ben), await mentioning(ann.id)]).toEqual([1, 0])
  const refused = [
    [eve, { ...note, user: eve.id, mentions: [] }],
    [eve, note],
    [ann, { ...note, mentions: [eve.id] }],
    [ann, { ...note, mentions: [ben, eve.id] }],
    [ann, { ...note, text: 'x'.repeat(5001) }],
    [ann, { ...note, user: eve.id }],
  ] as const
  for (const [who, values] of refused)
    expect((await who.call('POST', NOTES, values)).status).toBe(400)
  expect((await eve.call('GET', NOTES)).body.items).toEqual([])
  const path = `${NOTES}/${made.id}`
  expect((await eve.call('PATCH', path, { text: 'Mine' })).status).toBe(404)
  for (const values of [
    { author: ben },
    { conversation: id },
    { user: ann.id },
    { mentions: [eve.id] },
  ])
    expect((await ann.call('PATCH', path, values)).status).toBe(404)
  const edited = (await ann.call('PATCH', path, { text: 'Done' })).body
  expect(edited).toMatchObject({ text: 'Done', author: ann.id })
  await ann.call('DELETE', `${CONVERSATIONS}/${id}`)
  expect((await ann.call('GET', NOTES)).body.items).toEqual([])
})

test("an acting member assigns, notes and drafts under their own name and cannot change others' notes", async () => {
  const acting = await act(membership)
  const [viewer, admin] = [await act(await join('viewer')), await act(await join('admin'))]
  await settings({ assign: 'answerer' })
  await hear([ZOE, 'Hello'])
  const ears = [
    await TestListener.on(server.url, ann.token, 'presence'),
    await TestListener.on(other.url, acting.token, 'presence'),
  ]
  const { id } = await conversation()
  const presence = { conversation: id, state: 'writing' }
  expect((await acting.call('POST', '/api/account/presence', presence)).status).toBe(204)
  for (const ear of ears)
    expect((await ear.next(1))[0]!.data).toMatchObject({ ...presence, sender: ben })

  await acting.call('POST', '/api/sms/send', { recipients: [ZOE], body: 'From Ben' })
  expect(await conversation()).toMatchObject({ last_sender: ben, assignee: ben })
  expect((await acting.call('GET', '/api/account/inbox')).body).toMatchObject({ mine: 1, all: 1 })
  expect(await counts()).toMatchObject({ mine: 0, all: 1 })

  const recipients = Array.from({ length: 21 }, (_, i) => `+49151000000${i + 10}`)
  const many = await acting.call('POST', '/api/sms/send', { recipients, body: 'To many' })
  expect([many.status, many.body.error]).toEqual([400, 'too_many_recipients'])
  const few = { recipients: recipients.slice(1), body: 'To some' }
  expect((await acting.call('POST', '/api/sms/send', few)).status).toBe(200)

  const note = { user: ann.id, conversation: id, text: 'Call her' }
  const [hers, his] = [await ann.call('POST', NOTES, note), await acting.call('POST', NOTES, note)]
  expect([hers.body.author, his.body.author]).toEqual([ann.id, ben])
  const edit = (who: Client, { body }: typeof his) =>
    who.call('PATCH', `${NOTES}/${body.id}`, { text: 'New' })
  expect((await edit(acting, hers)).status).toBe(404)
  expect((await acting.call('DELETE', `${NOTES}/${hers.body.id}`)).status).toBe(404)
  for (const who of [acting, admin, ann])
    expect((await edit(who, his)).body).toMatchObject({ text: 'New', author: ben })
  expect((await acting.call('DELETE', `${NOTES}/${his.body.id}`)).status).toBe(204)
  expect((await viewer.call('POST', NOTES, note)).status).toBe(403)
  expect((await change({ blocked: true }, id, viewer)).status).toBe(403)
  expect((await viewer.call('GET', NOTES)).body.items).toHaveLength(1)
})

describe('presence', () => {
  const tell = (values: object, who: Client = ann) =>
    who.call('POST', '/api/account/presence', values)
  const state = { conversation: 'conversation001', state: 'writing' }

  test("presence reaches the account's other clients on all servers and no other account", async () => {
    const name = 'Ann\n\nid:x\nevent:fake\r"'.padEnd(255, '\u0001')
    await server.query('update users set name = $2 where id = $1', [ann.id, name])
    const ears = await Promise.all([
      TestListener.on(server.url, ann.token, 'presence', 'conversations'),
      TestListener.on(other.url, ann.token, 'presence'),
      TestListener.on(other.url, eve.token, 'presence', `presence?x=${ann.id}`),
      TestListener.on(other.url, '', 'presence'),
    ])
    expect((await tell(state)).status).toBe(204)
    const told = { event: 'presence', data: { ...state, sender: ann.id, name: name.slice(0, 100) } }
    for (const ear of ears.slice(0, 2)) expect(await ear.next(1)).toMatchObject([told])
    for (const ear of ears.slice(2)) expect(ear.heard).toEqual([])
  })

  test('presence is refused with an unknown state, without an account or too often', async () => {
    const wrong = [
      { ...state, state: 'x' },
      { ...state, conversation: 'a b' },
      { ...state, sender: ben },
      {},
    ]
    for (const values of wrong) expect((await tell(values)).status).toBe(400)
    expect((await tell(state, server.guest)).status).toBe(401)
    expect((await tell(state, server.superuser)).status).toBe(403)
    expect((await tell(state, phone)).status).toBe(403)
    expect((await tell(state, eve)).status).toBe(204)
    admission.subscriptions.charge(makeAccountHolder(USERS_ID, eve.id), 100_000)
    expect((await tell(state, eve)).status).toBe(429)
    expect((await tell(state)).status).toBe(204)
  })
})

test('a draft belongs to one person and is deleted when its text is sent', async () => {
  const acting = await act(membership)
  await hear([ZOE, 'Hello'])
  const { id } = await conversation()
  const draft = { user: ann.id, conversation: id, text: 'From' }
  const [hers, his] = [
    await ann.call('POST', DRAFTS, draft),
    await acting.call('POST', DRAFTS, draft),
  ]
  expect([hers.body.author, his.body.author]).toEqual([ann.id, ben])
  expect((await ann.call('POST', DRAFTS, draft)).status).toBe(400)
  for (const values of [{ text: 'New' }, { author: ann.id }])
    expect((await ann.call('PATCH', `${DRAFTS}/${his.body.id}`, values)).status).toBe(404)
  const ear = await TestListener.on(other.url, ann.token, 'conversation_drafts/*')
  await acting.call('POST', '/api/sms/send', { recipients: [ZOE], body: 'Another' })
  await send(ZOE)
  expect((await ear.next(1))[0]!.data).toMatchObject({
    action: 'delete',
    record: { id: hers.body.id },
  })
  expect((await acting.call('GET', DRAFTS)).body.items).toMatchObject([{ author: ben }])
})
