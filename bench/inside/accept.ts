import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { makeAccountSender, type Sender } from '../../src/gateway/base/make-sender.ts'
import { requirePermit } from '../../src/gateway/base/permissions.ts'
import type { Offer } from '../../src/gateway/messages/send/offer.ts'
import { PLAIN_OPTIONS } from '../../src/gateway/messages/send/send-options.ts'
import type { storeOffers } from '../../src/gateway/messages/send/store-offers.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createLogger } from '../../src/platform/log.ts'
import { makeRandomId } from '../../src/platform/tools/random.ts'
import { openCatalogStore, openDb } from '../../test/support/database/open.ts'
import { startPostgres } from '../../test/support/database/postgres.ts'
import { storeGroup } from '../bare/bare-send.ts'
import { seedDatabase, seedPostgres } from '../databases.ts'
import { USERS } from '../seed.ts'

const USAGE = `npx node bench/inside/accept.ts [--against FOLDER] [--rounds 5] [--seconds 3] [--statements]
CPU time of Postgres per accepted send, one at a time, in groups of 16 and 64, and of 20 accounts. Other work on the machine changes it
less than a rate. Beside it that of the bare server's statement, and with --against of the accept function of another
checkout. --statements: also how long each statement within sms_accept takes (pg_stat_statements).
`
const HOME = resolve(import.meta.dirname, '../..')
/** Accounts, and sends of each. */
const GROUPS: readonly Group[] = [
  [1, 1],
  [1, 16],
  [1, 64],
  [20, 1],
]
const OTHERS = `select id, xmin::text from users where id like 'benchother%' order by id limit 19`
const KEY = 'benchkey0000001'
const WARM_CALLS = 200
const STATEMENT_GROUPS = 500

const MAKE_KEY = `insert into api_keys (id, "user", name, created, updated)
  values ('${KEY}', '${USERS.sender}', 'bench', pb_text(now()), pb_text(now()))`
const VERSIONS = `select u.xmin::text, k.xmin::text from users u, api_keys k where u.id = '${USERS.sender}' and k.id = '${KEY}'`
const STATEMENTS = `select calls, round((total_exec_time * 1000 / $1)::numeric, 1) as us,
    left(regexp_replace(query, '\\s+', ' ', 'g'), 100) as query
  from pg_stat_statements where calls >= $1 / 2 and dbid = (select oid from pg_database where datname = current_database())
  order by total_exec_time desc`

/** How many accounts, and how many sends of each. */
type Group = readonly [accounts: number, sends: number]

interface Side {
  readonly name: string
  /** Stores a group of so many sends. */
  store(group: Group): Promise<unknown>
  /** Nanoseconds that the connections of this side have computed. */
  computed(): Promise<number>
  /** Stores groups while Postgres measures each statement. Returns the mean µs of a group by statement. */
  statements(
    groups: number,
    store: () => Promise<unknown>,
  ): Promise<readonly Record<string, unknown>[]>
}

/** Measures the sends of a checkout on its own database. */
async function openSide(home: string, url: string, admin: string): Promise<Side> {
  const accept: { storeOffers: typeof storeOffers } = await import(
    join(home, 'src/gateway/messages/send/store-offers.ts')
  )
  const config = readConfig({ DATABASE_URL: url, DATABASE_POOL: '2', LOG_LEVEL: 'silent' })
  const store = await openCatalogStore(await openDb(config, createLogger(config)))
  const { db } = store
  await db.query(MAKE_KEY)
  const [versions] = (await db.query(VERSIONS)).rows as [string, string][]
  const [version, keyVersion] = versions!
  const key = { id: KEY, version: keyVersion! }
  const sender = { ...makeAccountSender(USERS.sender, KEY), version: version!, key }
  // `sender`: for checkouts before the judge
  const others = (await db.query(OTHERS)).rows as [string, string][]
  const senders: Sender[] = [sender]
  for (const [id, version] of others) senders.push({ ...makeAccountSender(id, id), version })
  const offer = (sender: Sender): Offer & { readonly sender: Sender } => ({
    ...PLAIN_OPTIONS,
    permit: requirePermit(sender, 'send'),
    sender,
    body: 'Message 4711: your parcel arrives tomorrow between 9 and 12.',
    messages: [{ id: makeRandomId(), to: someNumber(), segments: 1 }],
  })
  const terms = { ...config, deviceOnlineSeconds: 86_400 }
  return {
    name: home,
    store: ([accounts, sends]) =>
      accept.storeOffers(
        store,
        terms,
        Array.from({ length: accounts * sends }, (_, i) => offer(senders[i % accounts]!)),
      ),
    ...metersOf(url, admin),
  }
}

function openBare(url: string, admin: string): Side {
  const pool = openPool(url)
  const body = 'Message 4711: your parcel arrives tomorrow between 9 and 12.'
  const one = () => ({
    user: USERS.sender,
    recipients: [someNumber()],
    ids: [makeRandomId()],
    batch: '',
    body,
    devices: ['benchdevice0001'],
  })
  return {
    name: 'bare',
    store: ([accounts, sends]) => storeGroup(pool, Array.from({ length: accounts * sends }, one)),
    ...metersOf(url, admin),
  }
}

/** A pool of one connection, which ends with Postgres. */
const openPool = (url: string) =>
  new pg.Pool({ connectionString: url, max: 1 }).on('error', () => {})

const someNumber = () => `+4917${10_000_000 + Math.floor(Math.random() * 89_999_999)}`

function metersOf(url: string, admin: string): Pick<Side, 'computed' | 'statements'> {
  const database = new URL(url).pathname.slice(1)
  const meter = new URL(admin)
  meter.pathname = `/${database}`
  const pool = openPool(meter.href)
  const PIDS = `select pid from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()`
  return {
    async computed() {
      const { rows } = await pool.query(PIDS, [database])
      return rows.reduce(
        (sum, { pid }) =>
          sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]),
        0,
      )
    },
    async statements(groups, store) {
      await pool.query('create extension if not exists pg_stat_statements')
      await pool.query('select pg_stat_statements_reset()')
      for (let i = 0; i < groups; i++) await store()
      return (await pool.query(STATEMENTS, [groups])).rows
    },
  }
}

async function round(side: Side, group: Group, seconds: number): Promise<number> {
  const before = await side.computed()
  let sends = 0
  for (
    const end = performance.now() + seconds * 1000;
    performance.now() < end;
    sends += group[0] * group[1]
  )
    await side.store(group)
  return ((await side.computed()) - before) / 1000 / sends
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      against: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      statements: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const postgres = await startPostgres({
    settings: {
      fsync: 'off',
      autovacuum: 'off',
      shared_buffers: '512MB',
      max_wal_size: '8GB',
      checkpoint_timeout: '1h',
      ...(values.statements && {
        shared_preload_libraries: 'pg_stat_statements',
        'pg_stat_statements.track': 'all',
      }),
    },
  })
  try {
    const [ours, bare] = await seedPostgres(postgres.url)
    const sides = []
    if (values.against) {
      const theirs = await seedDatabase(postgres.url, resolve(values.against))
      sides.push(await openSide(resolve(values.against), theirs, postgres.url))
    }
    sides.push(await openSide(HOME, ours, postgres.url), openBare(bare, postgres.url))
    await measure(sides, Number(values.rounds), Number(values.seconds))
    for (const side of values.statements ? sides : [])
      for (const group of GROUPS) {
        console.log(`${group.join(' x ')}, ${side.name}: µs by statement`)
        console.table(await side.statements(STATEMENT_GROUPS, () => side.store(group)))
      }
  } finally {
    await postgres.stop()
  }
}

async function measure(sides: readonly Side[], rounds: number, seconds: number): Promise<void> {
  for (const side of sides)
    for (let i = 0; i < WARM_CALLS; i++) await side.store([1 + (i % 2), 1 + (i % 4)])
  for (const group of GROUPS) {
    const found = new Map(sides.map((side) => [side, [] as number[]]))
    for (let n = 0; n < rounds; n++)
      for (const side of sides) found.get(side)!.push(await round(side, group, seconds))
    for (const [{ name }, all] of found) {
      const sorted = all.sort((a, b) => a - b).map((us) => us.toFixed(0))
      console.log(
        `${group.join(' x ')}, ${name}: ${sorted[sorted.length >> 1]} µs a send (${sorted.join(', ')})`,
      )
    }
  }
}

await main()
process.exit()
