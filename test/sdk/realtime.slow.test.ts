import { EventSource } from 'eventsource'
import PocketBase from 'pocketbase'
import { createLogger } from '../../src/platform/log.ts'
import { startRealtimeServer } from '../engine/realtime/realtime-server.ts'
import { runServer } from '../support/database/open.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'

// The unmodified SDK, with the event source that its README tells Node's users to take.
Object.assign(globalThis, { EventSource })

test('the SDK reconnects to a restarted server and keeps its subscriptions', async () => {
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
  other = await runServer(other.services.config, createLogger({ logLevel: 'silent' }))
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
