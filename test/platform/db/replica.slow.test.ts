import type { Db } from '../../../src/platform/db/open.ts'
import type { ReplicaState } from '../../../src/platform/db/replica.ts'
import { counts } from '../../../src/platform/tools/process-counters.ts'
import type { TestServer } from '../../support/database/open.ts'
import {
  createDatabase,
  freePort,
  onServer,
  startPostgres,
  startReplica,
  type TemporaryPostgres,
} from '../../support/database/postgres.ts'
import {
  type Client,
  client,
  makeUser,
  PASSWORD,
  signIn,
} from '../../support/server/server-with-devices.ts'
import { SUPERUSER, startServer } from '../../support/server/start.ts'
import { makeBreakableProxy } from '../../support/services/breakable-proxy.ts'
import { until } from '../../support/until.ts'

// Two servers on a Postgres with a real streaming replica. REPLICA_TRIES=10000 tries as often.

const TRIES = Number(process.env.REPLICA_TRIES ?? 600)
const WRITERS = 6
const EMAIL = 'ann@example.com'

const inDatabase = (server: string, url: string) => {
  const there = new URL(server)
  there.pathname = new URL(url).pathname
  return there.href
}

describe('a streaming replica', () => {
  let primary: TemporaryPostgres
  let replica: TemporaryPostgres
  let env: Record<string, string>
  let nodes: TestServer[] = []
  let user: { id: string; token: string }

  const at = (node: number): Client => client(nodes[node]!.url, user.id, user.token)
  const stateAt = async (node: number): Promise<ReplicaState> =>
    (await client(nodes[node]!.url, '', '').call('GET', '/api/ready')).body.replica.state
  const awaitState = (state: ReplicaState) =>
    expect
      .poll(() => Promise.all(nodes.map((_, node) => stateAt(node))))
      .toEqual(nodes.map(() => state))
  const READING = `select 1 from pg_stat_activity where state = 'active' and query like '%pg_sleep(2)%' and pid <> pg_backend_pid()`
  const readsOf = () => ({ ...counts.replica.reads })
  const onReplica = (text: string) => onServer(replica.url, text)

  const addContact = async (name: string, phone: string) => {
    const values = { user: user.id, name, phone }
    const { status, body } = await at(0).call('POST', '/api/collections/contacts/records', values)
    expect(status).toBe(200)
    return body.id as string
  }

  /** The name of a contact as a list, a view or an export of a node has it. */
  const READS: readonly ((node: number, id: string) => Promise<string>)[] = [
    async (node, id) => {
      const filter = encodeURIComponent(`id='${id}'`)
      const { body } = await at(node).call(
        'GET',
        `/api/collections/contacts/records?filter=${filter}`,
      )
      return body.items[0].name
    },
    async (node, id) =>
      (await at(node).call('GET', `/api/collections/contacts/records/${id}`)).body.name,
    async (node, id) => {
      const url = `${nodes[node]!.url}/api/collections/contacts/export?fields=id,name`
      const csv = await (await fetch(url, { headers: { authorization: user.token } })).text()
      return csv
        .split('\r\n')
        .find((line) => line.startsWith(id))!
        .split(',')[1]!
    },
  ]

  /** Writes through one node and reads through another, `times` times; answers the reads that were stale. */
  async function writeAndRead(writer: number, times: number): Promise<string[]> {
    const stale: string[] = []
    const id = await addContact('none', `+49151${String(10_000_000 + counter++)}`)
    for (let i = 0; i < times; i++) {
      const name = `name ${writer} ${i}`
      const path = `/api/collections/contacts/records/${id}`
      expect((await at((i + writer) % 2).call('PATCH', path, { name })).status).toBe(200)
      // an account may run two exports at a time
      const kind = writer === 0 && i % 10 === 0 ? 2 : i % 2
      const found = await READS[kind]!((i >> 1) % 2, id)
      if (found !== name) stale.push(`${name}: read ${kind} found ${found}`)
    }
    return stale
  }
  let counter = 0

  const tries = async (all: number) =>
    (
      await Promise.all(
        Array.from({ length: WRITERS }, (_, writer) =>
          writeAndRead(writer, Math.ceil(all / WRITERS)),
        ),
      )
    ).flat()

  beforeAll(async () => {
    primary = await startPostgres()
    const url = await createDatabase(primary.url)
    replica = await startReplica(primary, { settings: { max_standby_streaming_delay: '200ms' } })
    const there = new URL(url)
    there.port = new URL(replica.url).port
    env = { DATABASE_URL: url, DATABASE_REPLICA_URL: there.href }
    nodes = [await startServer({ env }), await startServer({ env })]
    const { url: first } = nodes[0]!
    const root = await signIn(first, '_superusers', SUPERUSER.email, SUPERUSER.password)
    user = await makeUser(first, root, { email: EMAIL, verified: true })
  })
  afterAll(async () => {
    for (const node of nodes) await node.stop()
    await replica?.stop()
    await primary?.stop()
  })

  test(`a streaming replica serves no read older than an earlier write in ${TRIES} tries`, {
    timeout: 900_000,
  }, async () => {
    await awaitState('used')
    const before = readsOf()
    expect(await tries(TRIES)).toEqual([])
    const after = readsOf()
    const share = (after.replica - before.replica) / TRIES
    console.log(`${Math.round(share * 100)} % of ${TRIES} reads from the replica`)
    expect(after.replica).toBeGreaterThan(before.replica)
  })

  test('a streaming replica serves all reads while there are no writes', async () => {
    const id = await addContact('quiet', '+4915120000000')
    await awaitState('used')
    await expect
      .poll(async () => {
        const before = readsOf()
        await READS[1]!(0, id)
        return readsOf().replica - before.replica
      })
      .toBe(1)
    const before = readsOf()
    for (let i = 0; i < 20; i++) expect(await READS[i % 2]!(i % 2, id)).toBe('quiet')
    const after = readsOf()
    // the server itself writes now and then
    expect(after.replica - before.replica).toBeGreaterThan(15)
  })

  test('a streaming replica is not used while its replay is paused, and is used again afterwards', async () => {
    const id = await addContact('before', '+4915130000000')
    await onReplica('select pg_wal_replay_pause()')
    onTestFinished(() => onReplica('select pg_wal_replay_resume()').then(() => {}))
    await at(0).call('PATCH', `/api/collections/contacts/records/${id}`, { name: 'after' })
    const before = readsOf()
    expect(await READS[0]!(1, id)).toBe('after')
    expect(nodes[1]!.services.store.db.replica!.state).toBe('late')
    expect(await tries(60)).toEqual([])
    expect(readsOf().replica).toBe(before.replica)
    await onReplica('select pg_wal_replay_resume()')
    await expect
      .poll(async () => {
        await READS[1]!(0, id)
        return readsOf().replica
      })
      .toBeGreaterThan(before.replica)
  })

  test('a streaming replica has canceled statements repeated on the primary', async () => {
    const id = await addContact('kept', '+4915140000000')
    const { db } = nodes[0]!.services.store
    let reading: Db = db
    await expect
      .poll(async () => {
        const before = readsOf()
        reading = await db.forReading()
        return readsOf().replica - before.replica
      })
      .toBe(1)
    const before = counts.replica.repeated
    const slow = reading.query(`select name, pg_sleep(2)::text from contacts where id = $1`, [id])
    await until('the read', async () => (await onReplica(READING)).rows.length > 0)
    await db.transaction((inside) => inside.script('lock table contacts in access exclusive mode'))
    expect((await slow).rows[0]![0]).toBe('kept')
    expect(counts.replica.repeated).toBe(before + 1)
  })

  test('a streaming replica refuses reads of an ended session', async () => {
    for (let i = 0; i < 10; i++) {
      const session = await signIn(nodes[0]!.url, 'users', EMAIL, PASSWORD)
      const path = `/api/collections/users/records/${session.id}`
      const mine = (node: number) =>
        client(nodes[node]!.url, session.id, session.token).call('GET', path)
      expect((await mine(1)).status).toBe(200)
      await onServer(
        inDatabase(primary.url, env.DATABASE_URL!),
        `update users set "tokenKey" = md5(random()::text) || '0123456789' where id = '${session.id}'`,
      )
      expect((await mine(1)).status).toBe(404)
    }
    user = await signIn(nodes[0]!.url, 'users', EMAIL, PASSWORD)
  })

  test('a streaming replica can be killed under load without a failed read and is used again', async () => {
    const running = tries(Math.min(TRIES, 1_200))
    const { replica: before } = readsOf()
    await until('reads of the replica', () => readsOf().replica > before + 20)
    await replica.crash(1_500)
    expect(await running).toEqual([])
    await awaitState('used')
    expect(await tries(60)).toEqual([])
  })

  test('a streaming replica is not used if it is unreachable at the start or not a replica', async () => {
    const away = `postgres://nobody@127.0.0.1:${await freePort()}/none`
    const cases = [
      [away, 'away'],
      [env.DATABASE_URL!, 'unfit'],
    ] as const
    for (const [DATABASE_REPLICA_URL, state] of cases) {
      const node = await startServer({ env: { ...env, DATABASE_REPLICA_URL } })
      onTestFinished(() => node.stop())
      nodes.push(node)
      expect(await stateAt(2)).toBe(state)
      const before = readsOf()
      const id = await addContact(state, `+49151600000${nodes.length}${counter++}`)
      expect(await READS[0]!(2, id)).toBe(state)
      expect(readsOf().replica).toBe(before.replica)
      nodes.pop()
    }
  })

  test('a streaming replica that stops answering does not delay reads', async () => {
    const cable = await makeBreakableProxy(env.DATABASE_REPLICA_URL!)
    await cable.connect()
    const node = await startServer({ env: { ...env, DATABASE_REPLICA_URL: cable.url } })
    nodes.push(node)
    onTestFinished(async () => {
      nodes.pop()
      await cable.disconnect()
      await node.stop()
    })
    const id = await addContact('here', '+4915170000000')
    await awaitState('used')
    cable.stall()
    for (let i = 0; i < 20; i++) {
      const startMs = performance.now()
      expect(await READS[i % 2]!(2, id)).toBe('here')
      expect(performance.now() - startMs).toBeLessThan(5_000)
      expect((await at(2).call('GET', '/api/ready')).body.ready).toBe(true)
    }
    await expect.poll(() => stateAt(2)).toBe('away')
    await cable.disconnect()
    await cable.connect()
    await awaitState('used')
  })

  test('a streaming replica is not used after a promotion', async () => {
    const id = await addContact('old', '+4915180000000')
    await onReplica('select pg_promote()')
    await awaitState('unfit')
    await onServer(
      inDatabase(replica.url, env.DATABASE_URL!),
      `update contacts set name = 'forked'`,
    )
    expect(await READS[0]!(0, id)).toBe('old')
    expect(await tries(30)).toEqual([])
  })
})
