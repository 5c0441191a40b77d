import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import PocketBase from 'pocketbase'
import { importFiles } from '../../src/import/fixtures.ts'
import { importVendel } from '../../src/import/vendel.ts'
import { extensionsOf } from '../../src/server/extensions.ts'
import { start } from '../support/database/open.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { testConfig } from '../support/server/start.ts'
import { writeSource } from './pocketbase-data.ts'

// Each imported contact gets an entry of the ledger of consent. PocketBase's SDK lists the entries.

const EXTENSIONS = extensionsOf({ webhookAllowPrivate: false })
const server = await start(await testConfig({}, 'prepared'))
const { store } = server.services
const folder = temporaryFolder()

async function entriesOf(email: string, password: string) {
  const pb = new PocketBase(server.url)
  await pb.collection('users').authWithPassword(email, password)
  const contacts = await pb.collection('contacts').getFullList({ sort: 'phone' })
  const entries = await pb.collection('consents').getFullList({ sort: 'number', expand: 'contact' })
  return {
    contacts: contacts.map(({ phone, opted_out }) => [phone, opted_out ? 'opt_out' : 'imported', 'import']),
    entries: entries.map(({ number, event, source }) => [number, event, source]),
    expanded: entries.every(({ number, expand }) => expand?.contact?.phone === number),
  }
}

test('a data directory of Vendel adds an entry for each contact', async () => {
  const source = writeSource(join(folder, 'vendel'), {})
  const data = readFileSync(new URL('../fixtures/vendel/data.db.gz', import.meta.url))
  writeFileSync(join(source, 'data.db'), gunzipSync(data))
  await importVendel(store, EXTENSIONS, source, 'a-key-of-32-characters-or-more-x1', () => {})
  const { contacts, entries, expanded } = await entriesOf('ann@example.com', 'ann-old-password')
  expect(contacts.length).toBeGreaterThan(0)
  expect(entries).toEqual(contacts)
  expect(expanded).toBe(true)
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
