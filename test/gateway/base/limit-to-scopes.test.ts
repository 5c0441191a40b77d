import { identifyKey } from '../../../src/engine/auth/identify-key.ts'
import { listRecords } from '../../../src/engine/records/list.ts'
import { NO_REQUEST } from '../../../src/engine/request/request.ts'
import { SCOPES } from '../../../src/engine/request/scopes.ts'
import { limitToScopes } from '../../../src/gateway/base/limit-to-scopes.ts'
import { makeKeySender, makePersonSender } from '../../../src/gateway/base/make-sender.ts'
import { writeIsSeen } from '../../../src/gateway/messages/send/sending-permission.ts'
import { queries } from '../../../src/platform/db/queries.ts'
import { basic, request } from '../../support/server/request.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'

// What a key may read by its scopes: the rules of lists and the SQL of acts agree.

const server = await startServerWithDevices()
const { store: all, extensions } = server.server.services
const ann = await server.makeUser()
const ben = await server.makeUser()
const phone = await server.pair(ann)

const create = async (who: typeof ann, collection: string, values: object) =>
  (await who.call('POST', `/api/collections/${collection}/records`, { user: who.id, ...values }))
    .body
const makeKey = (scopes: readonly string[], more = {}) =>
  create(ann, 'api_keys', { name: 'key', scopes, ...more })
const send = (key: string) =>
  request(
    server.url,
    'POST',
    '/api/sms/send',
    { recipients: ['+4915112345678'], body: 'Hello' },
    { 'x-api-key': key },
  )

const text = { from: '+4915112345678', body: 'Hi', received_at: new Date().toISOString() }
await phone.call('POST', '/api/devices/incoming', { items: [{ ...text, external_id: 'a' }] })
for (const who of [ann, ben]) {
  await who.call('POST', '/api/sms/send', { recipients: ['+4915112345679'], body: 'By a person' })
  await create(who, 'contacts', { name: 'Eve', phone: '+4915112345677' })
  await create(who, 'contact_groups', { name: 'News' })
  await create(who, 'sms_templates', { name: 'Hi', body: 'Hi' })
  await create(who, 'webhooks', { url: 'https://example.com', events: ['sms:sent'] })
}
await server.pair(ben)

/** The sender of a key with these scopes, which has sent a text if it may. */
async function senderWith(scopes: readonly string[]) {
  const { key } = await makeKey(scopes)
  const sends = await makeKey(['messages:send'])
  await send(sends.key)
  await send(key)
  const holder = (await identifyKey(all.signIn, { key, ip: '127.0.0.1' }))!
  const { auth } = holder
  return { auth, sender: makeKeySender(holder), store: all.forUser(auth.id) }
}

/** What a sender lists of a collection; undefined if it is closed. */
async function listed(
  { auth, sender, store }: Awaited<ReturnType<typeof senderWith>>,
  name: string,
  filter = '',
) {
  const query = { filter, perPage: '500', sort: 'id' }
  const [opened, asked] = limitToScopes(store, sender, { ...NO_REQUEST, auth, query })
  const collection = opened.catalog.find(name)!
  if (collection.listRule === null) return undefined
  const { items } = JSON.parse(await listRecords(opened, extensions, collection, asked))
  return items as Readonly<Record<string, string>>[]
}

const OPEN: Readonly<Record<string, readonly string[]>> = {
  sms_messages: ['messages:read', 'messages:list', 'inbox:list'],
  sms_usage: ['messages:read', 'messages:send'],
  sms_templates: ['messages:send'],
  contacts: ['messages:list'],
  contact_groups: ['messages:list'],
  conversations: ['inbox:list'],
  devices: ['devices:list'],
  lines: ['devices:list'],
}

test.each(SCOPES)('a key with %s reads what this scope opens, and nothing else', async (scope) => {
  const caller = await senderWith([scope])
  for (const { name } of all.catalog.all) {
    const isOpen = name in OPEN && (scope === 'all:any' || OPEN[name]!.includes(scope))
    const items = await listed(caller, name)
    expect([name, items !== undefined], name).toEqual([name, isOpen])
    expect(items?.every(({ user }) => user === ann.id) ?? true, name).toBe(true)
    if (name !== 'lines' && name !== 'sms_messages')
      expect(items?.length ?? 1, name).toBeGreaterThan(0)
  }
})

test.each([
  [[]],
  [['messages:read']],
  [['messages:list']],
  [['messages:read', 'messages:send']],
  [['messages:read', 'messages:list']],
  [['messages:read', 'inbox:list']],
  [['messages:list', 'inbox:list', 'messages:send']],
  [['all:any']],
])(
  'the rules and the SQL of acts show a key with scopes %j the same outgoing texts',
  async (scopes) => {
    const caller = await senderWith(scopes)
    const seen = await queries(caller.store.db)
      .selectFrom('sms_messages as m')
      .select('m.id')
      .where('m.user', '=', ann.id)
      .where('m.message_type', '=', 'outgoing')
      .where(writeIsSeen(caller.sender))
      .orderBy('m.id')
      .execute()
    const items = (await listed(caller, 'sms_messages'))!
    const outgoing = items.filter((item) => item.message_type === 'outgoing').map(({ id }) => id)
    expect(outgoing).toEqual(seen.map(({ id }) => id))
    const seesInbox = scopes.some((scope) => scope === 'inbox:list' || scope === 'all:any')
    expect(items.length - outgoing.length).toBe(seesInbox ? 1 : 0)
  },
)

test('a filter cannot widen the reads of a key, nor name the texts of others', async () => {
  const caller = await senderWith(['messages:read', 'messages:send'])
  const own = (await listed(caller, 'sms_messages'))!
  expect(own.map(({ sent_by }) => sent_by)).toEqual([caller.sender.sentBy])
  for (const filter of ['id != "" || id = ""', 'message_type = "incoming" || id != ""'])
    expect(await listed(caller, 'sms_messages', filter), filter).toEqual(own)
  await expect(listed(caller, 'sms_messages', 'id != "") || (id != ""')).rejects.toThrow()
  await expect(listed(caller, 'sms_messages', '@request.body.key = ""')).rejects.toThrow()
  await expect(listed(caller, 'sms_messages', 'user.email != ""')).rejects.toThrow()
})

test('people read by their role alone', async () => {
  const { auth } = await senderWith([])
  const store = all.forUser(auth.id)
  const [opened] = limitToScopes(store, makePersonSender(auth), NO_REQUEST)
  expect(opened.catalog).toBe(store.catalog)
})

test("Twilio's API alone shows incoming texts to a key without inbox:list", async () => {
  const key = await makeKey([], { twilio: true })
  const path = `/2010-04-01/Accounts/${key.account_sid}/Messages.json`
  const login = basic(key.account_sid, key.auth_token)
  const { messages } = (await request(server.url, 'GET', path, undefined, login)).body
  expect(messages.map(({ body }: { body: string }) => body)).toEqual(['Hi'])
})
