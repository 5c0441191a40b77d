import { upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { addFieldsToMentionSteps } from '../../../src/gateway/people/find-mentions.ts'
import { PERSONAL_DATA } from '../../../src/main/features.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { tablesWith } from '../../support/database/dump.ts'
import { runServer } from '../../support/database/open.ts'
import { makeSamples } from '../../support/sample-records.ts'
import { must, withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'
import { until } from '../../support/until.ts'
import { findReason, NO_WORDS } from './no-places.ts'
import { ended, makeShop, seedPerson } from './person-fixture.ts'

const lines: string[] = []
const config = await testConfig({ WEBHOOK_ALLOW_PRIVATE: 'true' }, 'prepared')
const server = await runServer(
  config,
  createLogger({ logLevel: 'debug' }, { write: (line) => void lines.push(line) }),
)
await upsertSuperuser(server.services.store, SUPERUSER.email, SUPERUSER.password)
const gateway = await withDevices(server)
const { store } = gateway.server.services
const { db } = store

for (const [collection, name, type] of [
  ['sms_messages', 'remark', 'text'],
  ['sms_events', 'more', 'json'],
  ['contacts', 'page', 'editor'],
  ['verifications', 'remark', 'text'],
] as const) {
  const { fields } = await must(gateway.superuser, 'GET', `/api/collections/${collection}`)
  await must(gateway.superuser, 'PATCH', `/api/collections/${collection}`, {
    fields: [...fields, { name, type }],
  })
}
const of = await makeShop(gateway)
const { shop, record } = of
const [person, other] = [await seedPerson(of), await seedPerson(of)]
const [name] = person.secrets
const spelled = person.spellings[4]!

/** The columns of each table that can hold words, without the dates. */
const { rows } = await db.query(`
  select c.relname, a.attname, coalesce(b.typname, t.typname)
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid left join pg_type b on b.oid = nullif(t.typbasetype, 0)
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and t.typname <> 'pb_date'
    and coalesce(b.typname, t.typname) in ('text', 'json', 'jsonb', 'varchar', '_text', 'bytea')
  order by 1, 2`)
const columns = rows as [table: string, column: string, type: string][]
const mentions = addFieldsToMentionSteps(store.catalog, PERSONAL_DATA.mentions).flatMap(
  (step) => step.mentions,
)
const mentioned = new Set(
  mentions.flatMap((one) => one.columns.map((column) => `${one.table}.${column}`)),
)

test('each column that can hold words is looked through for mentions, or has a reason why not', () => {
  expect(columns.length).toBeGreaterThan(450)
  const all = new Set(columns.map(([table, column]) => `${table}.${column}`))
  const without = [...all].filter(
    (column) => !mentioned.has(column) && !findReason(column, store.catalog),
  )
  expect(
    without,
    'add them to `mentions` (and `shown`) of the feature’s personalData, or to REASONS in test/gateway/people/no-places.ts',
  ).toEqual([])
  expect([...mentioned].filter((column) => !all.has(column))).toEqual([])
  const names = new Set(columns.map(([, column]) => column))
  expect([...NO_WORDS.keys()].filter((column) => !all.has(column) && !names.has(column))).toEqual(
    [],
  )
})

test('an erased record leaves no words in the change log', () => {
  const left = PERSONAL_DATA.places
    .filter(({ erasure }) => erasure === 'records')
    .flatMap(({ table, logged }) =>
      PERSONAL_DATA.mentions
        .flatMap((step) => step.mentions)
        .filter((mention) => mention.table === table)
        .flatMap(({ columns: words }) => words.filter((word) => !(word in logged)))
        .map((word) => `${table}.${word}`),
    )
  expect(left, 'add them to `logged` of the place in the feature’s personalData').toEqual([])
})

/** SQL of a value that names the person ($1: the name, $2: the number), and differs by row. */
const word = (type: string, key: string) =>
  type === 'json'
    ? `json_build_object('ask', $1::text || ${key}, 'of', json_build_array($2::text, ${Number(person.number)}::int8))`
    : `$1::text || ${key} || ' at ' || $2::text`

test('an erasure removes number, name and mentions from every column of every table', async () => {
  const filled = await tablesWith(db, [shop.id])
  await makeSamples(
    'Sample',
    async (collection, values) => (await record(collection, values)).id,
    {},
    filled,
  )
  await db.query(
    `insert into sms_origins (ref, "user", is_batch, created, api, id, data)
    select id, "user", false, created, 'smsgate', id, '{}' from sms_messages on conflict do nothing`,
  )
  await db.query(
    `insert into device_carriers (device, "user", account, sealed, address_hash) values ($1, $2, '{}', '', '')`,
    [of.phone.id, shop.id],
  )
  await db.query(
    `insert into _jobs (kind, holder, key, due_at) values ('alarm_mail', $1, 'x', now() + interval '1 day')`,
    [shop.id],
  )
  await db.query(
    `insert into webhook_dispatch (delivery, webhook, "user", due_at)
    select id, 'callbacks', "user", now() + interval '1 day' from webhook_deliveries on conflict do nothing`,
  )
  const { id: former } = await must(shop, 'POST', '/api/person/data', { number: '+4915112312399' })
  await ended(shop, former)
  const types = new Map(columns.map(([table, column, type]) => [`${table}.${column}`, type]))
  for (const { table, key, columns: all } of mentions)
    for (const column of all) {
      const value = word(types.get(`${table}.${column}`)!, `t."${key}"::text`)
      await db.query(`update "${table}" t set "${column}" = ${value}`, [name, spelled])
      const seeded = `select count(*) from "${table}" where strpos("${column}"::text, $1) > 0`
      expect([table, column, Number((await db.query(seeded, [spelled])).rows[0]![0])]).not.toEqual([
        table,
        column,
        0,
      ])
    }
  await db.query(`update contacts set name = $1 where phone = $2`, [name, person.number])
  // in rows of the person the name may stand alone
  const texts = `(select id from sms_messages where $2 in ("to", "from"))`
  for (const [table, column, owner] of [
    ['sms_messages', 'remark', 'id'],
    ['sms_messages', 'error_message', 'id'],
    ['sms_events', 'detail', 'message'],
    ['sms_origins', 'id', 'ref'],
    ['webhook_deliveries', 'response_body', 'message'],
  ])
    await db.query(`update ${table} set ${column} = $1 || id where ${owner} in ${texts}`, [
      name,
      person.number,
    ])
  await db.query(`update verifications set remark = $1 where "to" = $2`, [name, person.number])

  const { id: exported } = await must(shop, 'POST', '/api/person/data', { number: other.number })
  expect(await ended(shop, exported)).toMatchObject({ state: 'done' })
  const { id } = await must(shop, 'POST', '/api/person/erase', {
    number: person.number,
    reason: `${name} asked`,
  })
  expect(await ended(shop, id)).toMatchObject({ state: 'done' })
  const plain = [...person.secrets, ...person.spellings]
  // contents of files are bytes, which a table shows as hexadecimal digits
  const words = [...plain, ...plain.map((text) => Buffer.from(text).toString('hex'))]
  expect(await tablesWith(db, words)).toEqual([])
  expect(await tablesWith(db, [other.number])).toContain('sms_messages')
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.filter((line) => plain.some((word) => line.includes(word)))).toEqual([])
})

test('an erasure removes the name from a campaign of a group, and from one that was deleted', async () => {
  const ann = await seedPerson(of)
  const [called] = ann.secrets
  const group = (await record('contact_groups', { name: 'Alone' })).id
  await must(shop, 'PATCH', `/api/collections/contacts/records/${ann.contact}`, { groups: [group] })
  const plan = { body: `Dear ${called}`, name: `To ${called}` }
  const send = async (more: object) =>
    (await must(shop, 'POST', '/api/campaigns', { ...plan, hold_seconds: 0, ...more })).id
  const kept = await send({ group_ids: [group] })
  const shared = await send({ recipients: [ann.number, other.number], body: 'Hi' })
  const gone = await send({ recipients: [ann.number] })
  const sent = () =>
    gateway.query('select 1 from sms_messages where sent_by = any($1)', [[kept, shared, gone]])
  await until('the texts', async () => (await sent()).length === 4)
  await until('the campaign', async () => {
    const { status } = await shop.call('DELETE', `/api/campaigns/${gone}`)
    return status < 300 || status === 404
  })
  const { id } = await must(shop, 'POST', '/api/person/erase', {
    number: ann.number,
    reason: 'Asked',
  })
  await ended(shop, id)
  expect(
    await gateway.query('select name, body from campaigns where id = any($1) order by body', [
      [kept, shared],
    ]),
  ).toEqual([
    ['', ''],
    ['To …', 'Hi'],
  ])
  expect(await tablesWith(db, ann.secrets)).toEqual([])
})

test('an export has the fields that superusers added, and the erasure of a contact keeps the proof of its former number', async () => {
  const bob = await seedPerson(of)
  const contact = `/api/collections/contacts/records/${bob.contact}`
  await must(shop, 'PATCH', contact, { page: '<p>Seen by a superuser</p>' })
  const { id: exported } = await must(shop, 'GET', `/api/contacts/${bob.contact}/data`)
  const { files } = await ended(shop, exported)
  const { token } = await must(shop, 'POST', '/api/files/token')
  const file = await fetch(
    `${gateway.url}/api/files/person_requests/${exported}/${files[0]}?token=${token}`,
  )
  const { places } = (await file.json()) as { places: Record<string, object[]> }
  expect(places.contacts).toMatchObject([
    { page: '<p>Seen by a superuser</p>', groups: [of.group] },
  ])

  await record('consents', {
    number: bob.number,
    contact: bob.contact,
    event: 'opt_in',
    shown: 'Yes',
  })
  const former = async () =>
    gateway.query(
      `select s.state, e.shown from consent_states s left join consents e on e.id = s.entry where s.number = $1`,
      [bob.number],
    )
  const before = await former()
  expect(before).toContainEqual(['given', 'Yes'])
  await must(shop, 'PATCH', contact, { phone: '+4915112312355' })
  const { id } = await must(shop, 'POST', `/api/contacts/${bob.contact}/erase`, { reason: 'Asked' })
  expect(await ended(shop, id)).toMatchObject({ state: 'done' })
  expect(await former()).toEqual(before)
})
