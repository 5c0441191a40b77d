import { join } from 'node:path'
import { upsertSuperuser } from '../../src/engine/auth/superusers.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createLogger } from '../../src/platform/log.ts'
import { EmbeddedData } from '../support/database/embedded-data.ts'
import { openDb, runServer } from '../support/database/open.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runs } from '../support/installed.ts'
import { WAYS } from '../support/server/replaceable.ts'
import { makeUser, openStream, pairDevice, signIn } from '../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../support/server/start.ts'
import { SteadyRequests } from '../support/server/steady-requests.ts'

// A server is replaced while requests are made at a steady rate: real processes, real signals.

const TIMES = 2
const PER_SECOND = 100

const log = createLogger({ logLevel: 'silent' })
const { databaseUrl = '' } = await testConfig({}, 'prepared')
const outside = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' }
const first = await runServer(readConfig({ ...outside, HOST: '127.0.0.1', PORT: '0' }), log)
await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
await first.stop()

/** The server's own Postgres, which it shares with the one that replaces it. */
const own = new EmbeddedData(join(temporaryFolder(), 'data'))
const isInstalled = runs('systemd-socket-activate', '--version')
const ways = Object.keys(WAYS).filter((way) => isInstalled || !way.includes('socket of systemd'))

test.each(ways)(
  '%s: while a server is replaced, no request fails, no text is lost or stored twice, and streams end in order',
  async (way) => {
    const isOwn = way.includes('two workers')
    if (isOwn) own.make()
    const server = await WAYS[way]!(isOwn ? own.env : outside)
    onTestFinished(() => server.stop())
    const [postmaster] = isOwn ? own.processes() : []
    const root = await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
    const user = await makeUser(server.url, root)
    await pairDevice(server.url, user)
    const stream = await openStream(server.url, '', '/api/realtime')
    const requests = new SteadyRequests({ url: server.url, user, perSecond: PER_SECOND })
    for (let time = 0; time < TIMES; time++) await server.replace()
    await stream.ended
    expect(stream.heard.map(({ name }) => name)).toEqual(['PB_CONNECT'])
    await requests.stop()
    expect([...requests.faults]).toEqual([])
    expect(requests.accepted).toBeGreaterThan(TIMES)
    const db = await openDb(readConfig({ DATABASE_URL: isOwn ? own.url : databaseUrl }), log)
    const { rows } = await db.query(
      `select count(*)::int, count(distinct "to")::int from sms_messages where "user" = $1`,
      [user.id],
    )
    await db.close()
    expect(rows).toEqual([[requests.accepted, requests.accepted]])
    if (isOwn) expect(own.processes()[0]).toBe(postmaster)
  },
  120_000,
)
