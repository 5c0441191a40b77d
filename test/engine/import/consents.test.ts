import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import PocketBase from 'pocketbase'
import { hashPassword } from '../../../src/engine/fields/bcrypt.ts'
import { importFiles } from '../../../src/engine/import/import-fixtures.ts'
import { importPocketBase } from '../../../src/engine/import/import-pocketbase.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { importVendel } from '../../../src/main/vendel/import-vendel.ts'
import { runServer } from '../../support/database/open.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { testConfig } from '../../support/server/start.ts'
import { ID, USERS, writeSource } from './pocketbase-data.ts'

// Each imported contact gets an entry of the ledger of consent. PocketBase's SDK lists the entries.

const EXTENSIONS = collectExtensions({ webhookAllowPrivate: false })
const server = await runServer(await testConfig({}, 'prepared'))
const { store } = server.services
const folder = temporaryFolder()

async function entriesOf(email: string, password: string, url = server.url) {
  const pb = new PocketBase(url)
  await pb.collection('users').authWithPassword(email, password)
  const contacts = await pb.collection('contacts').getFullList({ sort: 'phone' })
  const entries = await pb.collection('consents').getFullList({ sort: 'number', expand: 'contact' })
  return {
    contacts: contacts.map(({ phone, opted_out }) => [
      phone,
      opted_out ? 'opt_out' : 'imported',
      'import',
    ]),
    entries: entries.map(({ number, event, source }) => [number, event, source]),
    expanded: entries.every(({ number, expand }) => expand?.contact?.phone === number),
  }
}

test('a data directory of Vendel adds an entry for each contact', async () => {
  const source = writeSource(join(folder, 'vendel'), {})
  const data = readFileSync(new URL('../../support/vendel/data.db.gz', import.meta.url))
  writeFileSync(join(source, 'data.db'), gunzipSync(data))
  await importVendel(store, EXTENSIONS, source, 'a-key-of-32-characters-or-more-x1', () => {})
  const { contacts, entries, expanded } = await entriesOf('ann@example.com', 'ann-old-password')
  expect(contacts.length).toBeGreaterThan(0)
  expect(entries).toEqual(contacts)
  expect(expanded).toBe(true)
})

test('a data directory of PocketBase adds an entry for each contact', async () => {
  const target = await runServer(await testConfig({}, 'prepared'))
  const user = 'user00000000001'
  const contacts = {
    id: 'contacts',
    name: 'contacts',
    rules: ['user = @request.auth.id', 'user = @request.auth.id', null, null, null],
    fields: [
      ID,
      { id: 'f_user', name: 'user', type: 'relation', collectionId: USERS.id, maxSelect: 1 },
      { id: 'f_phone', name: 'phone', type: 'text' },
      { id: 'f_out', name: 'opted_out', type: 'bool' },
    ],
    rows: [
      { id: 'contact00000001', user, phone: '+4915100000011', opted_out: 0 },
      { id: 'contact00000002', user, phone: '+4915100000012', opted_out: 1 },
    ],
  } as const
  const person = {
    id: user,
    email: 'pia@example.com',
    password: await hashPassword('pias-password', 4),
    verified: 1,
  }
  const users = { ...USERS, rows: [{ ...person, tokenKey: 'k'.repeat(40) }] }
  const source = writeSource(join(folder, 'pocketbase'), { collections: [users, contacts] })
  await importPocketBase(target.services.store, EXTENSIONS, source, () => {})
  const found = await entriesOf('pia@example.com', 'pias-password', target.url)
  expect(found.contacts).toHaveLength(2)
  expect(found.entries).toEqual(found.contacts)
})

test('fixtures add an entry for each contact, and for one that has opted out', async () => {
  const user = 'useruseruser001'
  const people = [
    { id: 'contactcontact1', user, phone: '+4915100000001' },
    { id: 'contactcontact2', user, phone: '+4915100000002', opted_out: true },
  ]
  const users = [{ id: user, email: 'eva@example.com', password: 'evaspassword', verified: true }]
  const fixtures = join(folder, 'fixtures.json')
  writeFileSync(fixtures, JSON.stringify({ users, contacts: people }))
  await importFiles(store, EXTENSIONS, { schema: undefined, fixtures }, () => {})
  const { contacts, entries } = await entriesOf('eva@example.com', 'evaspassword')
  expect(contacts).toHaveLength(2)
  expect(entries).toEqual(contacts)
})

test('fixtures that are imported again leave a person opted out who has opted out since', async () => {
  const user = 'useruseruser002'
  const fixtures = join(folder, 'again.json')
  const contacts = [{ id: 'contactcontact3', user, phone: '+4915100000003', opted_out: false }]
  const users = [{ id: user, email: 'ida@example.com', password: 'idaspassword', verified: true }]
  const bring = async (records: object) => {
    writeFileSync(fixtures, JSON.stringify(records))
    await importFiles(store, EXTENSIONS, { schema: undefined, fixtures }, () => {})
  }
  await bring({ users, contacts })
  await store.db.query(`update contacts set opted_out = true where id = 'contactcontact3'`)
  await bring({ contacts })
  const { rows } = await store.db.query(
    `select opted_out from contacts where id = 'contactcontact3'`,
  )
  expect(rows).toEqual([[true]])
})
