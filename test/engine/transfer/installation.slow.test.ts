import { type Restored, restoreBackup } from '../../../src/engine/backup/restore.ts'
import { writeBackup } from '../../../src/engine/backup/write.ts'
import { digestTable } from '../../../src/engine/transfer/rows.ts'
import { loadTables, NOT_TRANSFERRED } from '../../../src/engine/transfer/tables.ts'
import { afterRestore } from '../../../src/main/after-restore.ts'
import { watchAnswers } from '../../support/answers/answers.ts'
import {
  type Environment,
  emptyDatabase,
  withDatabase,
} from '../../support/database/empty-databases.ts'
import { runServer, type TestServer } from '../../support/database/open.ts'
import { type Client, client, must, withDevices } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, startServer, testConfig } from '../../support/server/start.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import {
  deliveriesOf,
  makeDeliveriesDue,
  makeWebhook,
  sendAndReport,
} from '../../support/webhook-fixture.ts'

const SETTINGS = { WEBHOOK_ALLOW_PRIVATE: 'true' }
const PATIENCE = { timeout: 30_000 }
const MESSAGES = '/api/collections/sms_messages/records?sort=@rowid&perPage=500'
const ODD = {
  title: 'a "b" \\ {c},\nNULL é 😀',
  tags: ['x,y', '"', '', 'NULL'],
  data: { b: 1.0, a: [null] },
  size: 0.1,
}

/** With what Postgres has from us: operators, a function of the name of one of its own. */
const TITLES = `select n.id, n.title, n.data->>'$.b' as b, count(e.value) as tags
  from notes n left join json_each(n.tags) e group by n.id`

const send = (by: Client, body: string) =>
  by.call('POST', '/api/sms/send', { recipients: ['+4915112345678'], body })

/** A collection of the installation's own, with a view of it and a record. */
async function makeNotes(superuser: Client): Promise<void> {
  const fields = [
    { name: 'title', type: 'text' },
    { name: 'tags', type: 'select', maxSelect: 3, values: ['x,y', '"', 'NULL'] },
    { name: 'data', type: 'json' },
    { name: 'size', type: 'number' },
  ]
  const rules = { listRule: '', viewRule: '' }
  for (const body of [
    {
      name: 'notes',
      type: 'base',
      fields,
      indexes: ['create unique index notes_title on notes (title)'],
      ...rules,
    },
    { name: 'titles', type: 'view', viewQuery: TITLES, ...rules },
  ])
    await must(superuser, 'POST', '/api/collections', body)
  await must(superuser, 'POST', '/api/collections/notes/records', ODD)
}

/** A file in two pieces, with a thumbnail. */
const FILES = `
insert into _file_contents (account, sha256, size) values ('a', '\\xff', 5), ('', null, 1);
insert into _files (collection, record, name, thumb, original, content, size, type)
values ('c', 'r', 'a.bin', '', null, 1, 5, 'x/y'), ('c', 'r', 'a.bin', '10x10', 1, 2, 1, 'x/y');
insert into _file_chunks values (1, 0, '\\x005c22ff'), (1, 1, '\\x0a'), (2, 0, '\\x00')`

/** What is the same before and after, as everyone sees it. */
async function seen(server: TestServer, users: readonly Client[]): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const { id, token } of users) {
    const by = client(server.url, id, token)
    for (const path of [
      MESSAGES,
      '/api/collections/notes/records',
      '/api/collections/titles/records',
      '/api/collections/api_keys/records',
      '/api/collections/contacts/records',
      '/api/sms/usage',
      '/api/devices/push-key',
    ])
      answers.push([path, await by.call('GET', path)])
  }
  return answers
}

/** Brings an installation to another database. */
async function bring(from: Environment, to: Environment): Promise<Restored> {
  const file = `${to.DATA_DIR}.zip`
  await withDatabase(from, (source) => writeBackup(source, file))
  return withDatabase(to, (target) => restoreBackup(target, file, { afterRestore, resume: true }))
}

/** Tables that differ: deliveries get new tickets, messages are counted anew. */
const RENEWED = new Set(['webhook_dispatch', 'sms_turns'])

/** What is in each table. */
async function contentsOf(place: Environment): Promise<Record<string, string>> {
  return withDatabase(place, async (db) => {
    const tables = (await loadTables(db)).filter(
      ({ name }) => !NOT_TRANSFERRED.has(name) && !RENEWED.has(name),
    )
    const sums = tables.map(async (table) => [table.name, (await digestTable(db, table)).sum])
    return Object.fromEntries(await Promise.all(sums))
  })
}

describe('after backup and restore --resume', () => {
  test('users, devices, keys and webhooks continue to work', { timeout: 120_000 }, async () => {
    const [from, to] = [await emptyDatabase(), await emptyDatabase()]
    const receiver = await startReceiver()
    const server = await startServer({ env: { ...from, ...SETTINGS } })
    const fixture = await withDevices(server)
    const user = await fixture.makeUser()
    const phone = await fixture.pair(user)
    const key = (
      await user.call('POST', '/api/collections/api_keys/records', { user: user.id, name: 'shop' })
    ).body.key
    await makeNotes(fixture.superuser)
    await makeWebhook(user, receiver.url)
    receiver.answer(500)
    await sendAndReport(user, phone, 1, 'delivered')
    await expect.poll(async () => (await deliveriesOf(user))[0]?.attempts, PATIENCE).toBe(1)
    const [waiting] = (await send(user, 'I wait.')).body.message_ids
    await server.services.store.db.script(FILES)
    const before = await seen(server, [user, fixture.superuser, phone])
    await server.stop()
    const copied = await bring(from, to)
    expect(copied.foreign).toEqual([])
    expect(await contentsOf(to)).toEqual(await contentsOf(from))
    const counts = Object.fromEntries(copied.tables.map(({ name, rows }) => [name, rows]))
    expect(counts).toMatchObject({
      sms_messages: 2,
      sms_dispatch: 1,
      users: 1,
      notes: 1,
      webhook_dispatch: 1,
    })

    receiver.answer(204)
    const next = await watchAnswers(await runServer(await testConfig({ ...to, ...SETTINGS })))
    expect(await seen(next, [user, fixture.superuser, phone])).toEqual(before)
    const { rows } = await next.services.store.db.query(
      'select f.original, c.part, c.bytes from _files f join _file_chunks c using (content) order by 1, 2',
    )
    expect(
      rows.map(([original, part, content]) => [
        original,
        part,
        Buffer.from(content as Buffer).toString('hex'),
      ]),
    ).toEqual([
      [1, 0, '00'],
      [null, 0, '005c22ff'],
      [null, 1, '0a'],
    ])
    const signedIn = await client(next.url, '', '').call(
      'POST',
      '/api/collections/_superusers/auth-with-password',
      { identity: SUPERUSER.email, password: SUPERUSER.password },
    )
    expect(signedIn.status).toBe(200)

    const samePhone = client(next.url, phone.id, phone.token)
    const claim = async () =>
      (await samePhone.call('POST', '/api/devices/claim', { limit: 10 })).body.items
    const [item, ...more] = await claim()
    expect([item.id, item.attempt, more]).toEqual([waiting, 1, []])
    const items = [{ id: waiting, attempt: 1, status: 'delivered' }]
    expect((await samePhone.call('POST', '/api/devices/report', { items })).status).toBe(200)
    expect(await claim()).toEqual([])

    await makeDeliveriesDue(next.services.store)
    const sameUser = client(next.url, user.id, user.token)
    await expect
      .poll(async () => (await deliveriesOf(sameUser)).map(({ status }) => status), PATIENCE)
      .toEqual(['delivered', 'delivered'])

    const byKey = await fetch(`${next.url}/api/sms/send`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ recipients: ['+4915112345679'], body: 'By the key.' }),
    })
    const [newest] = ((await byKey.json()) as { message_ids: string[] }).message_ids
    const { items: all } = (await sameUser.call('GET', MESSAGES)).body
    expect(all.map(({ id }: { id: string }) => id).slice(-2)).toEqual([waiting, newest])
  })
})
