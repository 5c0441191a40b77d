import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveCollection } from '../../../src/collections/catalog/save.ts'
import { readNew } from '../../../src/collections/definition/read.ts'
import { answerRoom } from '../../../src/http/body/answer-room.ts'
import { startWriteTestServer, type WriteTestServer } from '../../support/server/write-test-server.ts'

const TOOLS = 'collections/tools/records'
const LARGE = 3 << 20
const MOST_ROOM = 120 << 20

let shop: WriteTestServer
beforeAll(async () => {
  shop = await startWriteTestServer()
  const [manual] = readNew({
    name: 'x',
    fields: [{ name: 'manual', type: 'editor', maxSize: 2 * LARGE }],
  }).fields
  await shop.server.services.store.change((draft) => {
    const tools = draft.catalog.find('tools')!
    return saveCollection(draft, { ...tools, fields: [...tools.fields, manual!] })
  })
})
afterAll(() => shop.stop())

/** Runs work while large answers of another account have all the memory for a moment. */
async function whileMemoryIsFull<T>(work: () => Promise<T>): Promise<T> {
  const hold = answerRoom.open('other', () => {})
  hold.force(MOST_ROOM)
  const released = sleep(1_000).then(() => hold.release())
  try {
    return await work()
  } finally {
    await released
  }
}

test('a large record that is stored while no memory is free for answers is stored once', async () => {
  const manual = 'x'.repeat(LARGE)
  const made = await whileMemoryIsFull(() => shop.ask('', 'POST', TOOLS, { name: 'drill', manual }))
  expect(made.status).toBe(200)
  const { rows } = await shop.server.services.store.db.query(
    `select count(*)::int from tools where name = 'drill'`,
    [],
  )
  expect(rows).toEqual([[1]])
  const path = `${TOOLS}/${made.body.id}`
  const changed = await whileMemoryIsFull(() => shop.ask('', 'PATCH', path, { 'count+': 1 }))
  expect([changed.status, changed.body.count]).toEqual([200, 1])
})
