import { EventSource } from 'eventsource'
import PocketBase, { type RecordSubscription } from 'pocketbase'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/log.ts'
import { startStage } from '../realtime/stage.ts'
import { start } from '../support/database/open.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { startReadTestServer } from '../support/server/read-test-server.ts'
import { SUPERUSER } from '../support/server/start.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

// The unmodified SDK, with the event source that its README tells Node's users to take.
Object.assign(globalThis, { EventSource })

let pb: PocketBase

const server = stopAfterAll(await startReadTestServer())
const root = new PocketBase(server.url)
await root.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)

beforeEach(() => {
  pb = new PocketBase(server.url)
})
afterEach(() => pb.realtime.unsubscribe())

/** What a subscription is told, as `action title`. */
function ear() {
  const heard: string[] = []
  const hear = ({ action, record }: RecordSubscription) =>
    void heard.push(`${action} ${record.title ?? record.text}`)
  return { heard, hear }
}

describe('subscribe', () => {
  test('to a collection: create, update, delete', async () => {
    const { heard, hear } = ear()
    await pb.collection('books').subscribe('*', hear)
    const { id } = await root.collection('books').create({ title: 'a' })
    await root.collection('books').update(id, { title: 'b' })
    await root.collection('books').delete(id)
    await expect.poll(() => heard).toEqual(['create a', 'update b', 'delete b'])
  })

  test('with a filter, expand, fields and headers', async () => {
    const records: object[] = []
    const options = {
      filter: pb.filter('title ~ {:part}', { part: 'it"s' }),
      expand: 'shelf',
      fields: 'title,expand.shelf.title',
      headers: { 'X-Token': 'test' },
    }
    await pb.collection('books').subscribe('*', ({ record }) => void records.push(record), options)
    await root.collection('books').create({ title: 'no', shelf: 'shelftwo0000001' })
    await root.collection('books').create({ title: 'it"s', shelf: 'shelftwo0000001' })
    await expect.poll(() => records).toEqual([{ title: 'it"s', expand: { shelf: { title: 'Two' } } }])
  })
})

describe('unsubscribe', () => {
  test('one topic: the others stay', async () => {
    const [books, shelves] = [ear(), ear()]
    await pb.collection('books').subscribe('*', books.hear)
    await pb.collection('shelves').subscribe('*', shelves.hear)
    await pb.collection('books').unsubscribe('*')
    await root.collection('books').create({ title: 'unheard' })
    await root.collection('shelves').create({ title: 'heard' })
    await expect.poll(() => shelves.heard).toEqual(['create heard'])
    expect(books.heard).toEqual([])
  })

  test('all: the connection ends', async () => {
    const end = await pb.collection('books').subscribe('*', () => {})
    expect(pb.realtime.isConnected).toBe(true)
    await end()
    expect(pb.realtime.isConnected).toBe(false)
  })
})

test('a server that comes back is found, and what it is subscribed to goes on', async () => {
  const folder = temporaryFolder()
  const port = await freePort()
  let other = await startStage({ DATA_DIR: folder, PORT: String(port) })
  const client = new PocketBase(other.url)
  let connects = 0
  await client.realtime.subscribe('PB_CONNECT', () => void connects++)
  const { heard, hear } = ear()
  await client.collection('news').subscribe('*', hear)
  await other.stop()
  other = await start(other.services.config, createLogger({ logLevel: 'silent' }))
  await expect.poll(() => connects).toBe(2)
  await expect.poll(() => client.realtime.isConnected).toBe(true)
  const created = async () => {
    await client.collection('news').create({ title: 'after' })
    return heard[0]
  }
  await expect.poll(created, { interval: 200 }).toBe('create after')
  await client.realtime.unsubscribe()
  await other.stop()
})
