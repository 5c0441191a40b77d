import { Writable } from 'node:stream'
import { publishAuditEntries } from '../../../src/engine/auth/audit/publish-audit-entries.ts'
import { makeAuditPublisher } from '../../../src/main/publish-audit-entries.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { verify } from '../../support/services/receiver.ts'
import {
  allAre,
  deliveriesOf,
  makeWebhook,
  startWebhookFixture,
} from '../../support/webhook-fixture.ts'

const { gateway, store, user, receiver } = await startWebhookFixture()
const other = await gateway.makeUser()
const lines: Record<string, unknown>[] = []
const destination = new Writable({
  write(line, _, done) {
    lines.push(JSON.parse(String(line)))
    done()
  },
})
const log = createLogger({ logLevel: 'info' }, destination)
const publishAll = () => publishAuditEntries(store.db, makeAuditPublisher(log))

const addEntry = (id: string, account: string) =>
  store.db.query(
    `insert into account_audit (id, "user", sender, action, collection, record, fields, created)
     values ($1, $2, $2, 'update', 'devices', 'phone', '["name"]', pb_text(now()))`,
    [id, account],
  )

test('an entry leaves once, with its number: as a line of the log, and to the webhooks of its account that ask for it', async () => {
  const events = ['audit.recorded', 'message.sent']
  const hook = await makeWebhook(user, receiver.url, { events })
  await makeWebhook(user, receiver.url)
  await makeWebhook(other, receiver.url, { events })
  for (const table of ['_audit_queue', 'account_audit'])
    await store.db.query(`delete from ${table}`)
  await publishAll()
  lines.length = 0
  await addEntry('entry1', user.id)
  await publishAll()
  await publishAll()
  const [heard] = await receiver.heard(1)
  await allAre(user)
  expect(receiver.told).toHaveLength(1)
  expect(await deliveriesOf(other)).toEqual([])
  expect(verify(hook.secret, heard!)).toMatchObject({ type: 'audit.recorded' })
  expect(heard!.id).toBe('entry1')
  const entry = {
    ...{ id: 'entry1', action: 'update', collection: 'devices', record: 'phone', ip: '' },
    ...{ fields: ['name'], number: 1 },
    created: expect.stringMatching(/Z$/),
  }
  expect(heard!.event.data).toEqual({ ...entry, user: user.id, sender: user.id })
  expect(lines).toMatchObject([
    { level: 30, audit: true, msg: 'audit', ...entry, account: user.id, by: user.id },
  ])
})

test('an entry of superusers leaves as a line of the log only', async () => {
  lines.length = 0
  const before = receiver.told.length
  await store.db.query(
    `insert into _audit (id, action, email, ip) values ('entry2', 'sign in', 'root@example.com', '192.0.2.1')`,
  )
  await publishAll()
  expect(lines).toMatchObject([
    { audit: true, account: '', id: 'entry2', email: 'root@example.com', ip: '192.0.2.1' },
  ])
  expect(await deliveriesOf(user)).toHaveLength(before)
})

test('a webhook in another form than Standard Webhooks cannot ask for entries of the log', async () => {
  const asked = { events: ['audit.recorded'], format: 'template' }
  const path = '/api/collections/webhooks/records'
  const made = await user.call('POST', path, { user: user.id, url: receiver.url, ...asked })
  expect([made.status, Object.keys(made.body.data)]).toEqual([400, ['events']])
  const { id } = await makeWebhook(user, receiver.url, { events: ['message.sent'] })
  expect((await user.call('PATCH', `${path}/${id}`, asked)).status).toBe(400)
})
