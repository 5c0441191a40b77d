import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { Store } from '../../src/engine/collections/catalog.ts'
import { makeAccountSender } from '../../src/gateway/base/make-sender.ts'
import { requirePermit } from '../../src/gateway/base/permissions.ts'
import { PLAIN_OPTIONS } from '../../src/gateway/messages/send/send-options.ts'
import type { storeOffers } from '../../src/gateway/messages/send/store-offers.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createLogger } from '../../src/platform/log.ts'
import { makeRandomId } from '../../src/platform/tools/random.ts'
import { openCatalogStore, openDb } from '../../test/support/database/open.ts'
import { startPostgres } from '../../test/support/database/postgres.ts'
import { makeDevice, makeUser } from '../../test/support/database/queue.ts'
import { seedDatabase } from '../databases.ts'

const USAGE = `npx node bench/inside/life.ts [--against FOLDER] [--rounds 5] [--seconds 4]
What each step of a text's life costs Postgres: CPU time and log for each text, from the send to the recorded webhook
calls, while a node listens to changes. Texts go in groups of 1, 8 and 40 of as many accounts. --against: beside it those of another
checkout, in turn.
`
const HOME = resolve(import.meta.dirname, '../..')
const GROUPS = [1, 6, 40]
const ACCOUNTS = 40
const WARM_CALLS = 60
const STEPS = ['send', 'claim', 'sent', 'delivered', 'lease', 'record'] as const
type Step = (typeof STEPS)[number]
/** What a node ignores until a client subscribes. */
const LISTEN = `insert into _listeners (node, ignored) values ('bench', '{sms_events,sms_usage,webhook_deliveries}')`
const WEBHOOK = `insert into webhooks (id, "user", url, events, enabled, created, updated)
  values ($1, $2, 'http://127.0.0.1:9/', '{message.sent,message.delivered}', true, pb_text(now()), pb_text(now()))`
const LOCK = 4711

interface Cost {
  /** Nanoseconds. */
  cpu: number
  /** Bytes of the log. */
  log: number
}

type Costs = Readonly<Record<Step, Cost>>

interface Side {
  readonly name: string
  /** Lets a group of texts live, one of each account. */
  live(count: number, costs?: Costs): Promise<void>
}

async function openSide(home: string, admin: string): Promise<Side> {
  const url = await seedDatabase(admin, home)
  const accept: { storeOffers: typeof storeOffers } = await import(
    join(home, 'src/gateway/messages/send/store-offers.ts')
  )
  const config = readConfig({ DATABASE_URL: url, DATABASE_POOL: '1', LOG_LEVEL: 'silent' })
  const store = await openCatalogStore(await openDb(config, createLogger(config)))
  await store.db.query(LISTEN)
  const owners = await makeOwners(store)
  const terms = { ...config, deviceOnlineSeconds: 86_400 }
  const meter = await openMeter(url, admin)
  const rows = async (text: string, ...values: unknown[]) =>
    (await store.db.query(text, values)).rows

  async function live(count: number, costs?: Costs): Promise<void> {
    const taken = owners.slice(0, count)
    let before = await meter()
    const end = async (step: Step) => {
      const now = await meter()
      if (costs) {
        costs[step].cpu += now.cpu - before.cpu
        costs[step].log += now.log - before.log
      }
      before = now
    }
    const offers = taken.map(({ sender }) => ({
      ...PLAIN_OPTIONS,
      permit: requirePermit(sender, 'send'),
      body: 'Your parcel arrives tomorrow between 9 and 12.',
      messages: [{ id: makeRandomId(), to: someNumber(), segments: 1 }],
    }))
    await accept.storeOffers(store, terms, offers)
    await end('send')
    const asks = taken.map(({ device }, number) => ({
      number,
      device: device.id,
      user: device.user,
      limit: 50,
      room: null,
      lines: null,
      seconds: 60,
    }))
    const claimed = await rows(
      'select number, id, attempt from sms_claim($1::json)',
      JSON.stringify(asks),
    )
    if (claimed.length !== count)
      throw new Error(`${claimed.length} of ${count} texts were claimed`)
    await end('claim')
    for (const status of ['sent', 'delivered'] as const) {
      const reports = claimed.map(([asked, id, attempt], number) => ({
        number,
        id,
        attempt,
        status,
        at: Date.now(),
        reason: '',
        device: taken[Number(asked)]!.device.id,
        user: taken[Number(asked)]!.device.user,
      }))
      await rows('select * from sms_report($1::json)', JSON.stringify(reports))
      await end(status)
    }
    for (let calls = 0; calls < 2 * count; ) {
      const leased = await rows('select delivery from webhook_lease($1, $2)', LOCK, 200)
      calls += leased.length
      await end('lease')
      const users = await rows(
        'select id, "user" from webhook_deliveries where id = any($1::text[])',
        leased.flat(),
      )
      before = await meter()
      const outcomes = users.map(([delivery, user]) => ({
        delivery,
        user,
        status: 'succeeded',
        before: 0,
        attempts: 1,
        code: 204,
        text: '',
        latencyMs: 3,
        delay: null,
        headers: {
          'webhook-id': delivery,
          'webhook-timestamp': '1764322148',
          'webhook-signature': `v1,${makeRandomId(44)}`,
        },
      }))
      await rows('select * from webhook_record($1::json, true)', JSON.stringify(outcomes))
      await end('record')
    }
  }
  return { name: home, live }
}

async function makeOwners(store: Store) {
  const made = []
  for (let i = 0; i < ACCOUNTS; i++) {
    const user = await makeUser(store)
    const device = await makeDevice(store, user)
    await store.db.query(WEBHOOK, [makeRandomId(), user])
    const { rows } = await store.db.query('select xmin::text from users where id = $1', [user])
    made.push({
      device,
      sender: { ...makeAccountSender(user, user), version: String(rows[0]![0]) },
    })
  }
  return made
}

const someNumber = () => `+4917${10_000_000 + Math.floor(Math.random() * 89_999_999)}`

/** Reads what the connections of a side have computed, and where the log ends. */
async function openMeter(url: string, admin: string): Promise<() => Promise<Cost>> {
  const meter = new URL(admin)
  const database = new URL(url).pathname.slice(1)
  const client = new pg.Client(meter.href)
  client.on('error', () => {})
  await client.connect()
  const PIDS = `select array(select pid from pg_stat_activity where datname = $1) as pids,
    (pg_current_wal_insert_lsn() - '0/0')::text as log`
  return async () => {
    const { rows } = await client.query<{ pids: number[]; log: string }>(PIDS, [database])
    const { pids, log } = rows[0]!
    const cpu = pids.map((pid) =>
      Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]),
    )
    return { cpu: cpu.reduce((sum, one) => sum + one, 0), log: Number(log) }
  }
}

const noCosts = () =>
  Object.fromEntries(STEPS.map((step) => [step, { cpu: 0, log: 0 }])) as unknown as Record<
    Step,
    Cost
  >

async function measure(sides: readonly Side[], rounds: number, seconds: number): Promise<void> {
  for (const count of GROUPS) {
    for (const side of sides) for (let i = 0; i < WARM_CALLS; i++) await side.live(count)
    const found = sides.map((side) => ({ side, texts: 0, costs: noCosts() }))
    for (let n = 0; n < rounds; n++)
      for (const one of found)
        for (
          const end = performance.now() + seconds * 1000;
          performance.now() < end;
          one.texts += count
        )
          await one.side.live(count, one.costs)
    for (const { side, texts, costs } of found) {
      const all = STEPS.map((step) => `${step} ${(costs[step].cpu / texts / 1000).toFixed(0)}`)
      const sum = (kind: keyof Cost) =>
        STEPS.reduce((total, step) => total + costs[step][kind], 0) / texts
      console.log(
        `groups of ${count}, ${side.name}: ${(sum('cpu') / 1000).toFixed(0)} µs (${all.join(', ')}), ${(sum('log') / 1000).toFixed(1)} kB a text`,
      )
    }
  }
}

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) {
  process.stdout.write(USAGE)
  process.exit()
}
const postgres = await startPostgres({
  settings: {
    fsync: 'off',
    autovacuum: 'off',
    shared_buffers: '512MB',
    max_wal_size: '8GB',
    checkpoint_timeout: '1h',
  },
})
try {
  const homes = [...(values.against ? [resolve(values.against)] : []), HOME]
  const sides = []
  for (const home of homes) sides.push(await openSide(home, postgres.url))
  await measure(sides, Number(values.rounds), Number(values.seconds))
} finally {
  await postgres.stop()
}
process.exit()
