import { logChange } from '../../../src/engine/records/log-changes.ts'
import { makeUser } from '../../support/database/queue.ts'
import { startWriteTestServer } from '../../support/server/write-test-server.ts'

const shop = await startWriteTestServer()

const create = (collection: string, body: object) =>
  shop.ask('super', 'POST', `collections/${collection}/records`, body)
/** What was noted since the last look. */
const noted = async () => {
  const { db } = shop.server.services.store
  return (
    await db.query(
      'with d as (delete from _changes returning *) select collection, action, record, image from d order by position',
    )
  ).rows
}

test('without subscribers no changes are written', async () => {
  await create('shelves', { id: 'shelf0000000001' })
  expect(await noted()).toEqual([])
})

test('a create, update or delete and its cascades are written in its transaction and announced at its end', async () => {
  const { store } = shop.server.services
  await store.db.query(`insert into _listeners (node) values ('test')`)
  let told = 0
  const stop = await store.db.listen('changes', () => told++)
  told = 0
  await create('tools', { id: 'tool00000000001', name: 'saw', shelf: 'shelf0000000001' })
  await shop.ask('', 'PATCH', 'collections/tools/records/tool00000000001', { name: 'axe' })
  await create('jobs', { id: 'job000000000001', tool: 'tool00000000001' })
  await shop.ask('', 'DELETE', 'collections/shelves/records/shelf0000000001')
  await shop.ask('', 'DELETE', 'collections/tools/records/tool00000000001')
  const rows = await noted()
  expect(rows.map((row) => row.slice(0, 3).join(' '))).toEqual([
    'tools create tool00000000001',
    'tools update tool00000000001',
    'jobs create job000000000001',
    'shelves delete shelf0000000001',
    'tools update tool00000000001',
    'tools delete tool00000000001',
    'jobs delete job000000000001',
  ])
  const images = rows.map((row) => JSON.parse(String(row[3])))
  expect(images[0]).toMatchObject({ id: 'tool00000000001', name: 'saw', shelf: 'shelf0000000001' })
  expect(images[1]).toMatchObject({ id: 'tool00000000001', name: 'axe', shelf: 'shelf0000000001' })
  expect(images[4]).toMatchObject({ id: 'tool00000000001', name: 'axe', shelf: '' })
  expect(images[5]).toMatchObject({ id: 'tool00000000001', name: 'axe', shelf: '' })
  await expect.poll(() => told).toBe(5)
  await stop()
})

test('a changed message is written once, by record update or by plain SQL', async () => {
  const { store } = shop.server.services
  const { db } = store
  const user = await makeUser(store)
  await db.query(
    `insert into sms_messages (id, status, message_type) values ('message00000001', 'sent', 'outgoing')`,
  )
  const path = 'collections/sms_messages/records/message00000001'
  await shop.ask('super', 'PATCH', path, { user, error_message: 'of a record' })
  await db.query(`update sms_messages set status = 'failed'`)
  await shop.ask('super', 'DELETE', path)
  const texts = (await noted()).filter(([collection]) => collection === 'sms_messages')
  const images = texts.map(([, action, , image]) => [action, JSON.parse(String(image))])
  expect(
    images.map(([action, { status, error_message }]) => [action, status, error_message]),
  ).toEqual([
    ['create', 'sent', ''],
    ['update', 'sent', 'of a record'],
    ['update', 'failed', 'of a record'],
    ['delete', 'failed', 'of a record'],
  ])
})

test('changes that are rolled back are not written, and other code can write changes', async () => {
  const { store } = shop.server.services
  const requests = [
    { method: 'POST', url: '/api/collections/shelves/records', body: {} },
    { method: 'DELETE', url: '/api/collections/shelves/records/nope' },
  ]
  expect((await shop.ask('', 'POST', 'batch', { requests })).status).toBe(400)
  expect(await noted()).toEqual([])
  await logChange(store, { id: 'tools' }, 'update', ['a', 'b'])
  await logChange(store, { id: 'tools' }, 'delete', 'c')
  expect(await noted()).toEqual([
    ['tools', 'update', 'a', null],
    ['tools', 'update', 'b', null],
    ['tools', 'delete', 'c', null],
  ])
})
