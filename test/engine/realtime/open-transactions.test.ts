import pg from 'pg'
import { createDatabase } from '../../support/database/postgres.ts'
import { ask, signIn, startRealtimeServer } from './realtime-server.ts'
import { TestListener } from './test-listener.ts'

const server = await startRealtimeServer()
const { databaseUrl } = server.services.config
const who = await signIn(server.url)

/** Begins a transaction and gives it an id. Returns a function that commits it. */
async function openTransaction(connectionString: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  return async () => {
    await client.query('commit')
    await client.end()
  }
}

const create = (title: string) =>
  ask(server.url, who.root, 'POST', 'collections/news/records', { title })

test.skipIf(!databaseUrl)(
  'streams live on while another database has an old transaction',
  async () => {
    const commit = await openTransaction(await createDatabase(process.env.TEST_POSTGRES_URL!))
    const listener = await TestListener.on(server.url, '', 'news')
    await create('First')
    await commit()
    await create('Second')
    expect(await listener.titles(2)).toEqual(['news create First', 'news create Second'])
  },
)

test.skipIf(!databaseUrl)(
  'a stream ends that subscribed before an older transaction ended, others live on',
  async () => {
    const earlier = await TestListener.on(server.url, '', 'news')
    const commit = await openTransaction(databaseUrl!)
    const listener = await TestListener.on(server.url, who.root, 'sms_events')
    await commit()
    await listener.ended
    await create('Third')
    expect(await earlier.titles(1)).toEqual(['news create Third'])
  },
)
