import { cleanUpRequests } from '../../../src/gateway/people/delete-old-exports.ts'
import { exportSlice } from '../../../src/gateway/people/export-person.ts'
import { listExportedPlaces } from '../../../src/gateway/people/export-portion.ts'
import { makePerson } from '../../../src/gateway/people/person.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { ended, jobDeleted, makeShop, PICTURE_TEXT, seedPerson } from './person-fixture.ts'

const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const of = await makeShop(gateway)
const { shop } = of
const person = await seedPerson(of)
const other = await seedPerson(of)
const stranger = await gateway.makeUser()
const { store, personalData } = gateway.server.services
const { db } = store

const tokenOf = async (by: Client) => (await must(by, 'POST', '/api/files/token')).token
async function fileOf(by: Client, id: string, name: string) {
  const query = `?token=${await tokenOf(by)}`
  return fetch(`${gateway.url}/api/files/person_requests/${id}/${name}${query}`)
}
const exportOf = async (contact: string) =>
  ended(shop, (await must(shop, 'GET', `/api/contacts/${contact}/data`)).id)

test('an export has the data of each place, and no data of another person', async () => {
  const done = await exportOf(person.contact)
  expect(done).toMatchObject({
    kind: 'export',
    state: 'done',
    number: person.number,
    asked_by: shop.id,
  })
  const names: string[] = done.files
  const [json, page] = await Promise.all(
    ['.json', '.html'].map(async (ending) =>
      (await fileOf(shop, done.id, names.find((name) => name.endsWith(ending))!)).text(),
    ),
  )
  const data = JSON.parse(json!)
  expect(data).toMatchObject({ number: person.number, account: { id: shop.id } })
  const counts = Object.fromEntries(
    Object.entries(data.places as Record<string, unknown[]>).map(([name, rows]) => [
      name,
      rows.length,
    ]),
  )
  expect(counts).toEqual(done.counts)
  expect(Object.keys(counts)).toEqual(
    expect.arrayContaining([
      ...['contacts', 'conversations', 'sms_messages', 'sms_events', '_files', 'webhook_payloads'],
      ...[
        'verifications',
        'campaigns',
        'campaign_recipients',
        'hooks',
        'hook_calls',
        'conversation_notes',
        'conversation_drafts',
      ],
      ...[
        'consents',
        'consent_states',
        'person_requests',
        'webhook_deliveries',
        'webhooks',
        'sms_dispatch',
      ],
    ]),
  )
  for (const text of [json!, page!]) {
    for (const secret of [...person.secrets, person.number]) expect(text).toContain(secret)
    for (const secret of [...other.secrets, other.number]) expect(text).not.toContain(secret)
  }
  // another recipient of the hook
  expect(page).not.toContain('+4915188888888')
  const titles = [...page!.matchAll(/<h2>(.*)<\/h2>/g)].map(([, title]) => title)
  expect(titles.slice(0, 3)).toEqual(['Contact', 'Messages', 'Files of messages'])
  expect(titles.at(-1)).toBe('Steps of messages')
  const card = names.find((name) => name.endsWith('.txt'))!
  expect(await (await fileOf(shop, done.id, card)).text()).toContain(PICTURE_TEXT)
  expect(page).toContain(`<a href="${card}">`)
})

test('the page is in the language and time zone of the owner, and names records', async () => {
  const clinic = await gateway.makeUser()
  await gateway.pair(clinic)
  const add = (collection: string, values: object) =>
    must(clinic, 'POST', `/api/collections/${collection}/records`, { user: clinic.id, ...values })
  await must(clinic, 'PATCH', `/api/collections/users/records/${clinic.id}`, { language: 'pt' })
  await add('user_settings', {
    country: 'BR',
    time_zone: 'America/Sao_Paulo',
    account_name: 'Clínica Sol',
  })
  const group = await add('contact_groups', { name: 'Pacientes' })
  const number = '+5511955512345'
  await add('contacts', {
    phone: number,
    name: 'Ana Souza',
    groups: [group.id],
    data: { Observações: 'Alergia à penicilina', Idade: 40, Vacinas: ['Gripe', 'Tétano'] },
  })
  await must(clinic, 'POST', '/api/sms/send', { recipients: [number], body: 'Até amanhã\nàs 9h' })
  const { id } = await must(clinic, 'POST', '/api/person/data', { number })
  const { files } = await ended(clinic, id)
  const page = await (await fileOf(clinic, id, files[1])).text()
  expect(page).toContain('<html lang="pt">')
  expect(page).toContain(`<h1>Dados de Ana Souza, ${number}</h1>`)
  expect(page).toContain('<p>Armazenados por Clínica Sol. Situação em ')
  expect(page).toContain(`<a href="${files[0]}">`)
  expect(page).toContain('<dt>Grupos</dt><dd>Pacientes</dd>')
  expect(page).toContain(
    '<dd>Idade: 40\nObservações: Alergia à penicilina\nVacinas: Gripe, Tétano</dd>',
  )
  expect(page).toContain('<dt>Direção</dt><dd>para a pessoa</dd>')
  expect(page).toContain('<dt>Texto</dt><dd>Até amanhã\nàs 9h</dd>')
  expect(page).toMatch(
    /<dt>Registrado em<\/dt><dd>\d+ de [a-z]+\. de \d{4}, \d\d:\d\d (BRT|GMT-3)</,
  )
  for (const internal of [group.id, 'at_most_once', '.000Z', '<dd></dd>'])
    expect(page).not.toContain(internal)
})

test('the page shows markup in a text as text', async () => {
  const contact = (
    await of.record('contacts', { phone: '+4915112312312', name: '<script>alert(1)</script>"\'' })
  ).id
  const { id, files } = await exportOf(contact)
  const page = await (
    await fileOf(
      shop,
      id,
      files.find((name: string) => name.endsWith('.html')),
    )
  ).text()
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39;')
  expect(page).not.toContain('<script')
})

test('an export in several transactions keeps the copies of files', async () => {
  const third = await seedPerson(of)
  const { rows } = await db.query(
    `insert into person_requests (id, "user", kind, number, hash, reason, state, created, updated)
    values (pb_new_id(), $1, 'export', $2, person_hash($1, $2), 'Asked', 'running', pb_text(now()), pb_text(now()))
    returning id`,
    [shop.id, third.number],
  )
  const id = String(rows[0]![0])
  await db.query(
    `insert into _jobs (kind, holder, key, due_at) values ('person', $1, $2, now() + interval '1 hour')`,
    [shop.id, id],
  )
  const exporting = {
    request: id,
    person: makePerson(shop.id, third.number),
    places: listExportedPlaces(store.catalog, personalData),
    owner: { id: shop.id, maxBytes: 0 },
  }
  let slices = 1
  while (!(await db.transaction((inside) => exportSlice(inside, exporting, 0)))) slices++
  expect(slices).toBeGreaterThan(10)
  const { files } = await must(shop, 'GET', `/api/collections/person_requests/records/${id}`)
  expect(files).toHaveLength(3)
  for (const name of files) expect((await fileOf(shop, id, name)).status).toBe(200)
})

test('no proxy keeps a file of an export, and a browser keeps it for three minutes', async () => {
  const { id, files } = await exportOf(person.contact)
  for (const name of files) {
    const { headers } = await fileOf(shop, id, name)
    expect(headers.get('cache-control')).toBe('private, max-age=180')
  }
})

test('an export by number covers a number without a contact, in any spelling', async () => {
  await must(shop, 'POST', '/api/sms/send', { recipients: ['+4915145454545'], body: 'Hi' })
  const { id } = await must(shop, 'POST', '/api/person/data', { number: '0151 454 545-45' })
  expect(await ended(shop, id)).toMatchObject({
    number: '+4915145454545',
    state: 'done',
    counts: { sms_messages: 1 },
  })
  expect((await shop.call('POST', '/api/person/data', { number: 'Anna' })).status).toBe(400)
})

test('a second request returns a recent export, and files are deleted after a day', async () => {
  const first = await exportOf(other.contact)
  expect((await must(shop, 'GET', `/api/contacts/${other.contact}/data`)).id).toBe(first.id)
  const left = async () =>
    Number(
      (await gateway.query('select count(*) from _files where record = $1', [first.id]))[0]![0],
    )
  expect(await left()).toBe(3)
  await cleanUpRequests(db)
  expect(await left()).toBe(3)
  await db.query(
    `update person_requests set expires_at = pb_text(now() - interval '1 s') where id = $1`,
    [first.id],
  )
  await cleanUpRequests(db)
  expect(await left()).toBe(0)
  expect(
    await must(shop, 'GET', `/api/collections/person_requests/records/${first.id}`),
  ).toMatchObject({
    state: 'done',
    files: [],
    expires_at: '',
  })
})

test('a stranger gets neither the export nor its files', async () => {
  expect((await stranger.call('GET', `/api/contacts/${person.contact}/data`)).status).toBe(404)
  const { id, files } = await exportOf(person.contact)
  expect(
    (await stranger.call('GET', `/api/collections/person_requests/records/${id}`)).status,
  ).toBe(404)
  expect((await fileOf(stranger, id, files[0])).status).toBe(404)
  expect((await fetch(`${gateway.url}/api/files/person_requests/${id}/${files[0]}`)).status).toBe(
    404,
  )
})

test('the record API neither creates, changes nor deletes a request', async () => {
  const { id } = await exportOf(person.contact)
  const path = '/api/collections/person_requests/records'
  const made = await shop.call('POST', path, {
    user: shop.id,
    kind: 'erasure',
    number: person.number,
  })
  const [changed, deleted] = [
    await shop.call('PATCH', `${path}/${id}`, { state: 'waiting' }),
    await shop.call('DELETE', `${path}/${id}`),
  ]
  expect([made.status, changed.status, deleted.status]).toEqual([403, 403, 403])
})

test('the next run finishes a request whose node died', async () => {
  const { id } = await exportOf(person.contact)
  await jobDeleted(gateway, id)
  await db.query(
    `update person_requests set state = 'running', files = '{}', counts = '{}' where id = $1`,
    [id],
  )
  await db.query(`insert into _jobs (kind, holder, key) values ('person', $1, $2)`, [shop.id, id])
  expect(await ended(shop, id)).toMatchObject({ state: 'done' })
  await jobDeleted(gateway, id)
  // a second run of a request that has ended changes nothing
  const before = (await must(shop, 'GET', `/api/collections/person_requests/records/${id}`)).updated
  await db.query(`insert into _jobs (kind, holder, key) values ('person', $1, $2)`, [shop.id, id])
  await jobDeleted(gateway, id)
  expect((await must(shop, 'GET', `/api/collections/person_requests/records/${id}`)).updated).toBe(
    before,
  )
})

test('a request fails when its job is dead', async () => {
  const { id } = await exportOf(person.contact)
  await jobDeleted(gateway, id)
  await db.query(`update person_requests set state = 'running' where id = $1`, [id])
  await cleanUpRequests(db)
  expect(await must(shop, 'GET', `/api/collections/person_requests/records/${id}`)).toMatchObject({
    state: 'failed',
  })
})

test('an account with too many waiting requests gets 429', async () => {
  await db.query(
    `insert into _jobs (kind, holder, key, due_at)
    select 'person', $1, 'waits ' || n, now() + interval '1 hour' from generate_series(1, 20) n`,
    [shop.id],
  )
  const { status } = await shop.call('POST', '/api/person/data', { number: '+4915100000001' })
  await db.query(`delete from _jobs where key like 'waits %'`)
  expect(status).toBe(429)
})
