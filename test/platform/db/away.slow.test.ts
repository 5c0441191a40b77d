import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { UserError } from '../../../src/platform/api-errors.ts'
import { readConfig } from '../../../src/platform/config.ts'
import type { DbSession } from '../../../src/platform/db/backend.ts'
import { DatabaseUnavailable } from '../../../src/platform/db/database-errors.ts'
import { makeFailoverClients } from '../../../src/platform/db/failover-hosts.ts'
import { openPostgres } from '../../../src/platform/db/postgres.ts'
import { createLogger, type Logger } from '../../../src/platform/log.ts'
import { openDb, runServer, type TestServer } from '../../support/database/open.ts'
import { freePort, onServer, startPostgres } from '../../support/database/postgres.ts'
import { testConfig } from '../../support/server/start.ts'
import { type BreakableProxy, makeBreakableProxy } from '../../support/services/breakable-proxy.ts'
import { stopLater } from '../../support/stops.ts'

// A database that is not there yet, goes away, comes back, or does not want us.

/** Starts a server whose database hangs on a cable. */
async function open(): Promise<{
  cable: BreakableProxy
  starting: Promise<TestServer>
  said: string[]
}> {
  const { databaseUrl } = await testConfig({}, 'prepared')
  const proxy = await makeBreakableProxy(databaseUrl!)
  stopLater(() => proxy.disconnect())
  const said: string[] = []
  const log = logInto(said)
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL: proxy.url })
  return { cable: proxy, starting: runServer(config, log), said }
}

function logInto(said: string[]): Logger {
  const note = (...words: unknown[]) => void said.push(String(words.at(-1)))
  return { warn: note, error: note, info: note, isLevelEnabled: () => false } as unknown as Logger
}

/** Has a TCP server listen on a free local port, which it returns. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const until = (isTrue: () => boolean | Promise<boolean>) => vi.waitUntil(isTrue, 30_000)

test('a server waits for a database that is not reachable yet and logs it', async () => {
  const { cable, starting, said } = await open()
  await until(() => said.some((line) => line.startsWith('waiting for the database: ')))
  await cable.connect()
  const server = await starting
  onTestFinished(() => server.stop())
  expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
})

test('while the database is away requests get 503, and afterwards they succeed again', async () => {
  const { cable, starting } = await open()
  await cable.connect()
  const server = await starting
  onTestFinished(async () => {
    await cable.connect()
    await server.stop()
  })
  const users = `${server.url}/api/collections/users/records`
  expect((await fetch(users)).status).toBe(200)

  await cable.disconnect()
  const away = await fetch(`${server.url}/api/collections/users/auth-with-password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"identity":"a@example.com","password":"12345678"}',
  })
  expect(away.status).toBe(503)
  expect(await away.json()).toEqual({
    data: {},
    message: 'The database cannot be reached at the moment.',
    status: 503,
  })
  const send = await fetch(`${server.url}/api/sms/send`, {
    method: 'POST',
    headers: { 'x-api-key': 'psk_unknown' },
    body: '{"recipients":["+491700000001"],"body":"x"}',
  })
  expect([send.status, ((await send.json()) as { error: string }).error]).toEqual([
    503,
    'unavailable',
  ])

  await cable.connect()
  await until(
    async () => (await fetch(`${users}?filter=${encodeURIComponent('id = "x"')}`)).status === 200,
  )
  // what other nodes say is heard again, too
  const { store } = server.services
  const before = store.catalog
  await until(async () => {
    await store.db.query(
      `update _collections set data = replace(data::text, '"presentable":false', '"presentable": false')::json where id = 'contacts'`,
    )
    await store.db.query(`select pg_notify('collections', 'changed')`)
    return store.catalog !== before
  })
})

test('of several database hosts the writable one is used', async () => {
  const { databaseUrl } = await testConfig({}, 'prepared')
  const cable = await makeBreakableProxy(databaseUrl!)
  onTestFinished(() => cable.disconnect())
  await cable.connect()
  const { host } = new URL(cable.url)
  const DATABASE_URL = cable.url.replace(host, `127.0.0.1:${await freePort()},${host}`)
  const server = await runServer(readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL }))
  onTestFinished(() => server.stop())
  expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
})

test('a read-only database counts as away, like a standby behind a proxy', async () => {
  const { databaseUrl } = await testConfig({}, 'prepared')
  const server = await runServer(
    readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL: databaseUrl }),
  )
  onTestFinished(() => server.stop())
  const list = () => fetch(`${server.url}/api/collections/users/records?filter=id%3D%22x%22`)
  const makeReadOnly = async (value: 'on' | 'off') => {
    const name = new URL(databaseUrl!).pathname.slice(1)
    const admin = process.env.TEST_POSTGRES_URL!
    await onServer(admin, `alter database ${name} set default_transaction_read_only = ${value}`)
    await onServer(
      admin,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    )
  }
  await makeReadOnly('on')
  await until(async () => (await list()).status === 503)
  const answer = await list()
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  await makeReadOnly('off')
  await until(async () => (await list()).status === 200)
})

test('a host that closes its connection while asked whether it is writable causes no crash', async () => {
  const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')
  const server = createServer((socket) =>
    socket.once('data', () => {
      socket.write(WELCOME)
      socket.once('data', () => socket.destroy())
    }),
  )
  const port = await listen(server)
  onTestFinished(() => void server.close())
  const host = `127.0.0.1:${port}`
  const { Client } = makeFailoverClients(`postgres://ann@${host},${host}/sms?sslmode=disable`)
  await expect(new Client().connect()).rejects.toThrow('Connection terminated')
})

test('a database can be closed while LISTEN begins', async () => {
  const { databaseUrl } = await testConfig()
  const backend = openPostgres(
    databaseUrl!,
    { ofServer: 1, ofClients: 1, clientMs: 1_000 },
    logInto([]),
  )
  const listening = backend.listen('anything', () => {})
  await backend.close()
  await listening
})

test.concurrent('a database that stops answering without closing connections gets a 503', async () => {
  const { cable, starting } = await open()
  await cable.connect()
  const server = await starting
  const list = () => fetch(`${server.url}/api/collections/users/records?filter=id%3D%22x%22`)
  expect((await list()).status).toBe(200)
  cable.stall()
  expect((await list()).status).toBe(503)
  cable.resume()
  await until(async () => (await list()).status === 200)
})

test.concurrent('a primary whose synchronous standby is gone is not used', async ({
  expect,
  onTestFinished,
}) => {
  const { url, stop } = await startPostgres()
  onTestFinished(stop)
  const connects = async () => {
    const client = new (makeFailoverClients(url).Client)()
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    )
  }
  expect(await connects()).toBe(true)
  await onServer(url, `alter system set synchronous_standby_names = 'gone'`)
  await onServer(url, 'select pg_reload_conf()')
  await expect.poll(connects, { timeout: 20_000 }).toBe(false)
}, 30_000)

test('a connection to a new primary ends connections to the replaced one', async ({
  expect,
  onTestFinished,
}) => {
  const servers = [await startPostgres(), await startPostgres()]
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))))
  const ports = servers.map(({ url }) => Number(new URL(url).port))
  const { username, password } = new URL(servers[0]!.url)
  await onServer(servers[1]!.url, `alter role ${username} password '${password}'`)
  let primary = ports[0]!
  const proxy = createServer((near) => {
    const far = connect(primary, '127.0.0.1')
    near.on('error', () => far.destroy()).pipe(far)
    far.on('error', () => near.destroy()).pipe(near)
  })
  const portOfProxy = await listen(proxy)
  onTestFinished(() => void proxy.close())
  const url = new URL(servers[0]!.url)
  url.port = String(portOfProxy)
  const backend = openPostgres(
    url.href,
    { ofServer: 2, ofClients: 1, clientMs: 1_000 },
    logInto([]),
  )
  onTestFinished(() => backend.close())
  const port = async (query: DbSession['query']) =>
    (await query('select inet_server_port()')).rows[0]![0]
  const ask = () => Promise.all([backend.query, backend.lookUp, backend.clientQuery].map(port))
  expect(await ask()).toEqual(Array(3).fill(ports[0]))
  primary = ports[1]!
  expect(await ask()).toEqual(Array(3).fill(ports[0]))
  const sleep = 'select pg_sleep(0.2)'
  await Promise.allSettled([backend.query(sleep), backend.query(sleep)])
  await expect.poll(ask).toEqual(Array(3).fill(ports[1]))
})

test.concurrent('a server that receives no NOTIFY logs which setting to change', async () => {
  const { databaseUrl } = await testConfig({}, 'prepared')
  const env = { DATABASE_URL: databaseUrl, DATABASE_LISTEN_URL: process.env.TEST_POSTGRES_URL }
  const said: string[] = []
  const server = await runServer(
    readConfig({ PORT: '0', LOG_LEVEL: 'silent', ...env }),
    logInto(said),
  )
  await until(() => said.some((line) => line.includes('Set DATABASE_LISTEN_URL')))
  const { database } = (await (await fetch(`${server.url}/api/ready`)).json()) as {
    database: unknown
  }
  expect(database).toEqual({ reachable: true, migrated: true, writable: true, listening: false })
})

test('a wrong database password stops the start with a plain message', async () => {
  const { databaseUrl } = await testConfig()
  const wrong = new URL(databaseUrl!)
  wrong.password = 'wrong'
  const starting = runServer(
    readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL: wrong.href }),
  )
  await expect(starting).rejects.toThrow(UserError)
  await expect(starting).rejects.toThrow(/The database refused to let us in: .*DATABASE_URL/)
})

test('a role without the right to create tables stops the start with a plain message', async () => {
  const { databaseUrl } = await testConfig()
  const DATABASE_URL = process.env.TEST_POSTGRES_URL
  const admin = await openDb(readConfig({ DATABASE_URL }), createLogger({ logLevel: 'silent' }))
  onTestFinished(() => admin.close())
  const role = `lowly_${process.pid}`
  await admin.query(`create role ${role} login password 'lowly'`)
  onTestFinished(async () => void (await admin.query(`drop role ${role}`)))
  const lowly = Object.assign(new URL(databaseUrl!), { username: role, password: 'lowly' })
  const starting = runServer(
    readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL: lowly.href }),
  )
  await expect(starting).rejects.toThrow(UserError)
  await expect(starting).rejects.toThrow(
    /The role of DATABASE_URL lacks a right: permission denied for schema public/,
  )
})

test.each(['prefer', 'allow'])(
  'a server reaches a database without TLS if sslmode is %s',
  async (mode) => {
    const { databaseUrl } = await testConfig({}, 'prepared')
    const env = {
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: `${databaseUrl}${databaseUrl!.includes('?') ? '&' : '?'}sslmode=${mode}`,
    }
    const server = await runServer(readConfig(env))
    onTestFinished(() => server.stop())
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
  },
)

test('a server without TLS tries TLS next if sslmode is allow', async () => {
  const asked: number[] = []
  const refusal = Buffer.from('E\0\0\0\x1bSFATAL\0C28000\0Mno TLS\0\0', 'latin1')
  const server = createServer((socket) =>
    socket
      .on('error', () => {})
      .once('data', (data) => {
        asked.push(data.readUInt32BE(4))
        socket.end(refusal)
      }),
  )
  const port = await listen(server)
  onTestFinished(() => void server.close())
  const { Client } = makeFailoverClients(`postgres://ann@127.0.0.1:${port}/sms?sslmode=allow`)
  await expect(new Client().connect()).rejects.toThrow(DatabaseUnavailable)
  await expect(new Client().connect()).rejects.toThrow()
  // the version of the protocol, then the request for TLS
  expect(asked).toEqual([3 << 16, 80877103])
})

test('a database without TLS stops the start with a plain message if TLS is required', async () => {
  const server = createServer((socket) =>
    socket.on('error', () => {}).once('data', () => socket.write('N')),
  )
  const port = await listen(server)
  onTestFinished(() => void server.close())
  const env = {
    LOG_LEVEL: 'silent',
    DATABASE_URL: `postgres://ann@127.0.0.1:${port}/sms?sslmode=verify-full`,
  }
  const starting = runServer(readConfig(env))
  await expect(starting).rejects.toThrow(UserError)
  await expect(starting).rejects.toThrow(
    'The database cannot be used: The server does not support SSL',
  )
})
