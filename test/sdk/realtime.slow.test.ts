import { EventSource } from 'eventsource'
import PocketBase from 'pocketbase'
import { expect, test } from 'vitest'
import { createLogger } from '../../src/log.ts'
import { startRealtimeServer } from '../realtime/realtime-server.ts'
import { start } from '../support/database/open.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { startReadTestServer } from '../support/server/read-test-server.ts'
import { SUPERUSER } from '../support/server/start.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

// The unmodified SDK, with the event source that its README tells Node's users to take.
Object.assign(globalThis, { EventSource })

const server = stopAfterAll(await startReadTestServer())
const root = new PocketBase(server.url)
await root.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)

test('a subscription with a filter, expand, fields and headers', async () => {
  const pb = new PocketBase(server.url)
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
  await pb.realtime.unsubscribe()
})

test('a server that comes back is found, and what it is subscribed to goes on', async () => {
  const folder = temporaryFolder()
  const port = await freePort()
  let other = await startRealtimeServer({ DATA_DIR: folder, PORT: String(port) })
  const client = new PocketBase(other.url)
  let connects = 0
  await client.realtime.subscribe('PB_CONNECT', () => void connects++)
  const heard: string[] = []
  await client
    .collection('news')
    .subscribe('*', ({ action, record }) => void heard.push(`${action} ${record.title}`))
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
