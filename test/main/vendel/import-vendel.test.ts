import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import PocketBase from 'pocketbase'
import { collectExtensions } from '../../../src/main/features.ts'
import { importVendel } from '../../../src/main/vendel/import-vendel.ts'
import { UserError } from '../../../src/platform/api-errors.ts'
import { contentsOf, writeSource } from '../../engine/import/pocketbase-data.ts'
import { briefFaults } from '../../support/database/brief.ts'
import { runServer } from '../../support/database/open.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { testConfig } from '../../support/server/start.ts'

/** Of the server that made the directory: test/support/vendel/README.md. */
const KEY = 'a-key-of-32-characters-or-more-x1'
const VALID = 'vk_OTeN5B4698045qGw9ICQud4ZRACGx1QZ'
const SWITCHED_OFF = 'vk_VRFBxGVPH8Eij4QNVZCvulbIsywMvbIx'

const folder = join(temporaryFolder(), 'vendel')
writeSource(join(folder, '..', 'other'), {})
const source = writeSource(folder, {})
writeFileSync(
  join(folder, 'data.db'),
  gunzipSync(readFileSync(new URL('../../support/vendel/data.db.gz', import.meta.url))),
)
// as of a server that knew GitHub, had another key once, and called without texts
const changed = new DatabaseSync(join(folder, 'data.db'))
changed.exec(`update sms_templates set body = 'fenc:c2VhbGVkIHdpdGggYW5vdGhlciBrZXkuLi4' where name = 'Bye';
  update webhook_configs set include_body = 0;
  create temp table text as select * from sms_messages where status = 'sent' limit 1;
  update text set id = 'weirdstatus0001', status = 'weird';
  insert into sms_messages select * from text;
  update text set id = 'largebody000001', status = 'sent', body = hex(zeroblob(4194304));
  insert into sms_messages select * from text;
  create temp table hook as select * from webhook_configs limit 1;
  update hook set id = 'filewebhook0001', url = 'file:///etc/passwd';
  insert into webhook_configs select * from hook;
  update webhook_delivery_logs set response_status = 'none';
  create temp table person as select * from contacts where phone_number = '+491511000010' limit 1;
  update person set id = 'secondform00001', phone_number = '+49 (0) 151 1000010', notes = 'likes cake';
  insert into contacts select * from person;
  update _collections set options = json_set(options, '$.oauth2.providers',
    json('[{"name":"github","clientId":"ours","clientSecret":"secret"}]')) where name = 'users'`)
changed.close()
const partly = writeSource(join(folder, '..', 'partly'), {})
copyFileSync(join(folder, 'data.db'), join(partly, 'data.db'))
const dropped = new DatabaseSync(join(partly, 'data.db'))
dropped.exec('drop table user_plans')
dropped.close()
const broken = writeSource(join(folder, '..', 'broken'), {})
copyFileSync(join(folder, 'data.db'), join(broken, 'data.db'))
const wrong = new DatabaseSync(join(broken, 'data.db'))
wrong.exec(
  `update _collections set options = json_set(options, '$.oauth2.providers', 5) where name = 'users'`,
)
wrong.close()
const named = writeSource(join(folder, '..', 'named'), {})
copyFileSync(join(folder, 'data.db'), join(named, 'data.db'))
const renamed = new DatabaseSync(join(named, 'data.db'))
renamed.exec(`update _collections set name = 'members' where name = 'user_plans';
  alter table user_plans rename to members`)
renamed.close()
const before = contentsOf(source)
const server = await runServer(await testConfig({}, 'prepared'))
const { store } = server.services
const bring = (key: string, from = source) =>
  importVendel(store, collectExtensions({ webhookAllowPrivate: false }), from, key, () => {})
const rows = async (sql: string) => (await store.forEverybody('command').db.query(sql)).rows

test.each([
  ['a wrong key', source, 'another key', '--vendel-key opens none of 21 encrypted texts.'],
  ['a missing table', partly, KEY, 'data.db cannot be read: no such table: user_plans.'],
  ['unknown OAuth2 providers', broken, KEY, 'collection users: '],
  [
    "a table with a built-in table's name",
    named,
    KEY,
    'collections of its own with these names: members',
  ],
  [
    'a directory of something else',
    join(folder, '..', 'other'),
    KEY,
    'is not a data directory of Vendel.',
  ],
])('an import with %s is refused and stores nothing: $3', async (_, from, key, sentence) => {
  const refused: unknown = await bring(key, from).catch((error) => error)
  expect(refused).toBeInstanceOf(UserError)
  expect((refused as Error).message).toContain(sentence)
  expect(await rows('select from users')).toEqual([])
  expect(store.catalog.find('payments')).toBeUndefined()
})

test('a data directory made by a real Vendel server is imported', async () => {
  const summary = await bring(KEY)
  expect(summary.split('\n')).toEqual([
    'Imported 10 collections, 0 views, 59 of 63 records and 0 files.',
    '- users: 1 had is_superuser. They are users like others here.',
    '- sms_devices: 2 came over as devices, switched off. Add the phones and modems anew.',
    '- sms_messages: 5 were not finished. They are failed here, so that none goes out twice.',
    '- webhook_configs: 2 were called without the text. Calls have it here.',
    '- api_keys: 1 had been switched off. They are so here.',
    '- sms_templates: 1 had a text with another key. It is still encrypted.',
    '- contacts: 1 had the number of an earlier contact. They are one here.',
    expect.stringMatching(/^- user_plans, user_quotas, .*: kept as they were\./),
    '- scheduled_sms: none goes out. Send them as campaigns.',
    '- settings: left out. Vendel takes them from its environment.',
    '- sms_messages: 1 were left out: status: Invalid value weird. The first is weirdstatus0001.',
    '- sms_messages: 1 were left out: body: Must be no more than 1600 character(s). The first is largebody000001.',
    '- webhook_configs: 1 were left out: url: Must be a valid url. The first is filewebhook0001.',
  ])
  expect(contentsOf(source)).toEqual(before)
  await expect(bring(KEY)).rejects.toThrow('The store is not empty')
})

const pb = new PocketBase(server.url)

test('imported users sign in with their old passwords and see their own records only', async () => {
  const { record } = await pb
    .collection('users')
    .authWithPassword('ann@example.com', 'ann-old-password')
  expect(record).toMatchObject({ name: 'Ann Äpple', verified: true, monthly_quota: 5_000 })
  expect(record).not.toHaveProperty('is_superuser')
  const counts = [
    'contacts',
    'contact_groups',
    'sms_templates',
    'devices',
    'sms_messages',
    'scheduled_sms',
  ]
  const found = counts.map(async (name) => (await pb.collection(name).getFullList()).length)
  expect(await Promise.all(found)).toEqual([6, 2, 1, 2, 13, 2])
  expect(await briefFaults(server.services.store.db)).toEqual([])
  const { oauth2 } = await pb.collection('users').listAuthMethods()
  expect(oauth2.providers.map(({ name }) => name)).toEqual(['github'])
  await expect(pb.collection('users').create({ email: 'x@example.com' })).rejects.toThrow(
    'superuser',
  )
  await expect(pb.collection('user_quotas').update('i8380u2h9g3zm5l', {})).rejects.toThrow(
    'superuser',
  )
})

test('lists and exports work although rows that the API would refuse were left out', async () => {
  for (const path of ['sms_messages/records', 'webhooks/records', 'sms_messages/export'])
    expect(
      (
        await fetch(`${server.url}/api/collections/${path}?perPage=100`, {
          headers: { authorization: pb.authStore.token },
        })
      ).status,
    ).toBe(200)
  expect(
    await rows(`select id from sms_messages where status = 'weird' or length(body) > 10000`),
  ).toEqual([])
  expect(await rows(`select id from webhooks where url not like 'http%'`)).toEqual([])
})

test('superusers of the Vendel server stay superusers', async () => {
  const root = new PocketBase(server.url)
  await root.collection('_superusers').authWithPassword('admin@example.com', 'adminspassword')
  expect(await root.collection('system_config').getFullList()).toHaveLength(11)
})

test('an imported API key works, and a revoked one does not', async () => {
  const list = (key: string) =>
    fetch(`${server.url}/vendel/api/sms/messages`, { headers: { 'X-API-Key': key } })
  expect(await (await list(VALID)).json()).toMatchObject({ total_items: 13 })
  expect((await list(SWITCHED_OFF)).status).toBe(401)
})

test.each([
  [
    'contacts',
    'with its notes as data',
    'tyfqzzjyhtnfq9h',
    { phone: '+491511000010', data: { notes: 'likes "tea"\nlikes cake' } },
  ],
  [
    'sms_templates',
    'with its placeholders',
    '5mgyh8arrosvsrc',
    { body: 'Hello {{who}}, see you at {{when}} 👋' },
  ],
  [
    'devices',
    'disabled',
    'e0d4rdvq6edzjfu',
    { name: 'Stick', phone: '', platform: 'modem', enabled: false },
  ],
  [
    'sms_messages',
    'with the status failed',
    '0u2y18jlf784n3v',
    { status: 'failed', body: 'Four at once €', segments: 1 },
  ],
  [
    'sms_messages',
    'with the status received and its sender',
    '34a6oznyzzir14o',
    { status: 'received', from: '+491511000010', body: 'Answer 2 🙂' },
  ],
  [
    'webhooks',
    'with its events and the format vendel',
    '1ywud811iwllgki',
    { events: ['message.sent', 'message.received'], enabled: true, format: 'vendel' },
  ],
  [
    'scheduled_sms',
    'with its recipients',
    '8u2q9w7cknhyaq5',
    { body: 'Bins', recipients: ['+491511000010'] },
  ],
])('a record of %s is imported %s', async (collection, _, id, values) => {
  expect(await pb.collection(collection).getOne(id)).toMatchObject(values)
})

test('imported senders have conversations, and the queue is empty', async () => {
  const items = await pb.collection('conversations').getFullList({ sort: 'number' })
  expect(items.map(({ number, name, last_text }) => [number, name, last_text])).toEqual([
    ['+491511000010', 'Zoé', 'Answer 2 🙂'],
    ['PAYPAL', '', 'Answer 3 🙂'],
  ])
  expect(await rows('select from sms_dispatch')).toEqual([])
})

test('imported webhooks sign with their old secret or get a new one', async () => {
  const secrets = await rows('select enabled, secret from webhooks order by _rowid')
  expect(secrets).toEqual([
    [true, 'webhooks-secret'],
    [false, expect.stringMatching(/^whsec_/)],
  ])
})

test("deleting an imported user deletes their rows in Vendel's own collections", async () => {
  await pb.collection('users').delete(pb.authStore.record!.id)
  expect(await rows('select from webhook_delivery_logs')).toEqual([])
  expect(await rows('select from scheduled_sms')).toEqual([])
  expect(await rows('select from user_quotas')).toHaveLength(2)
})
