import { execFileSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createDatabase, freePort, startPostgres } from '../test/support/database/postgres.ts'
import { serve } from '../test/support/server/program.ts'
import { computed, residentMb } from './process.ts'

// How long after a change its event arrives, with many subscribers on one node:
// `npx node bench/realtime.ts --help`.

const USAGE = `npx node bench/realtime.ts [--subscribers 1000] [--rate 200] [--seconds 20] [--rule own|related|public]
Each subscriber is a user of his own. own: a change is for one of them, by a field of the record; related: by a field
of another record, so that the database is asked; public: for all of them.
`

const { values: options } = parseArgs({
  options: {
    subscribers: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '20' },
    rule: { type: 'string', default: 'own' },
    help: { type: 'boolean', short: 'h' },
  },
})

const RULES: Readonly<Record<string, string>> = {
  own: 'owner = @request.auth.id',
  related: 'owner.id = @request.auth.id && owner.verified = false',
  public: '',
}
const CLI = fileURLToPath(new URL('../src/main/cli.ts', import.meta.url))
const ROOT = { email: 'root@example.com', password: 'rootpass12345' }
const USERS = '_pb_users_auth_'
const idOf = (i: number) => `user${String(i).padStart(11, '0')}`

interface Setting {
  readonly url: string
  readonly root: string
  readonly subscribers: number
}

async function ask(url: string, token: string, method: string, path: string, body: unknown) {
  const response = await fetch(`${url}/api/${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: token },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text === '' ? {} : JSON.parse(text)
}

/** One connection, read without any library: what is measured is the server. */
function listen({ url }: Setting, heard: (number: number, at: number) => void): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect(Number(port), hostname)
  socket.write(`GET /api/realtime HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      const at = performance.now()
      const text = chunk.toString('latin1')
      for (const [, number] of text.matchAll(/"title":"(\d+)"/g)) heard(Number(number), at)
      const id = /"clientId":"(\w+)"/.exec(text)?.[1]
      if (id) resolve(id)
    })
  })
}

async function subscribe(
  setting: Setting,
  i: number,
  heard: (number: number, at: number) => void,
): Promise<void> {
  const { url, root } = setting
  const { token } = await ask(url, root, 'POST', `collections/users/impersonate/${idOf(i)}`, {})
  const clientId = await listen(setting, heard)
  await ask(url, token, 'POST', 'realtime', { clientId, subscriptions: ['tasks/*'] })
}

/** Creates records at a steady rate; answers when each was asked for and when it was answered. */
async function change({ url, root, subscribers }: Setting, count: number, rate: number) {
  const asked: number[] = []
  const answered: number[] = []
  const began = performance.now()
  const running: Promise<void>[] = []
  for (let i = 0; i < count; i++) {
    const wait = began + (i * 1000) / rate - performance.now()
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait))
    asked[i] = performance.now()
    const body = { title: String(i), owner: idOf(i % subscribers) }
    running.push(
      ask(url, root, 'POST', 'collections/tasks/records', body).then(() => {
        answered[i] = performance.now()
      }),
    )
  }
  await Promise.all(running)
  return { asked, answered }
}

const quantile = (sorted: readonly number[], q: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
const line = (name: string, values: number[]) => {
  values.sort((a, b) => a - b)
  const [p50, p99, max] = [0.5, 0.99, 1].map((q) => quantile(values, q).toFixed(1))
  console.log(`${name}: p50 ${p50} ms, p99 ${p99} ms, longest ${max} ms`)
}

async function prepare(databaseUrl: string, url: string, subscribers: number): Promise<Setting> {
  const { token: root } = await ask(url, '', 'POST', 'collections/_superusers/auth-with-password', {
    identity: ROOT.email,
    password: ROOT.password,
  })
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    `insert into users (id, email, password, "tokenKey", created, updated)
     select 'user' || lpad(i::text, 11, '0'), i || '@example.com', '-', md5(i::text) || md5(i::text), pb_text(now()), pb_text(now())
     from generate_series(0, $1 - 1) i`,
    [subscribers],
  )
  await client.end()
  const rule = RULES[options.rule] ?? ''
  const owner = { name: 'owner', type: 'relation', collectionId: USERS, maxSelect: 1 }
  const fields = [{ name: 'title', type: 'text' }, owner]
  await ask(url, root, 'POST', 'collections', {
    name: 'tasks',
    type: 'base',
    listRule: rule,
    viewRule: rule,
    fields,
  })
  return { url, root, subscribers }
}

async function main(): Promise<void> {
  const [subscribers, rate, seconds] = [options.subscribers, options.rate, options.seconds].map(
    Number,
  ) as [number, number, number]
  const postgres = await startPostgres({ settings: { max_connections: '50' } })
  const DATABASE_URL = await createDatabase(postgres.url)
  const port = String(await freePort())
  const env = { DATABASE_URL, HOST: '127.0.0.1', PORT: port, LOG_LEVEL: 'warn' }
  execFileSync(process.execPath, [CLI, 'superuser', 'upsert', ROOT.email, ROOT.password], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  const server = await serve(env)
  try {
    const setting = await prepare(DATABASE_URL, server.url, subscribers)
    const arrivals: (readonly [number: number, at: number])[] = []
    for (let i = 0; i < subscribers; i++)
      await subscribe(setting, i, (number, at) => arrivals.push([number, at]))
    const count = rate * seconds
    const before = computed(server.pid)
    const { asked, answered } = await change(setting, count, rate)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const expected = options.rule === 'public' ? count * subscribers : count
    console.log(
      `${subscribers} subscribers, ${rate} changes a second, rule ${options.rule}: ${arrivals.length} of ${expected} events`,
    )
    line(
      'from the request',
      arrivals.map(([number, at]) => at - asked[number]!),
    )
    line(
      'from its answer',
      arrivals.map(([number, at]) => Math.max(0, at - answered[number]!)),
    )
    line(
      'the requests themselves',
      answered.map((at, i) => at - asked[i]!),
    )
    console.log(
      `the server's processor: ${(((computed(server.pid) - before) * 10) / count).toFixed(2)} ms a change, the request included`,
    )
    console.log(`resident memory: ${residentMb(server.pid)?.toFixed(0)} MB`)
  } finally {
    await server.stop()
    await postgres.stop()
  }
}

if (options.help) console.log(USAGE)
else await main()
