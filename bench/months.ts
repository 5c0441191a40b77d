import { createHash } from 'node:crypto'
import { openStore } from '../src/collections/catalog/catalog-store.ts'
import { buildIndexes } from '../src/collections/table/background-indexes.ts'
import { readConfig } from '../src/config.ts'
import { openDb } from '../src/db/open.ts'
import { startOf } from '../src/db/partitions/names.ts'
import { migrate } from '../src/db/schema/migrate.ts'
import { extensionsOf } from '../src/extensions.ts'
import { createLogger } from '../src/log.ts'
import { partitionMessages } from '../src/sms/months/partition.ts'
import { endOldMessages } from '../src/sms/sweep/retention.ts'
import { makeRetentionIndex } from '../src/sms/sweep/retention-index.ts'
import { countMessages } from '../src/sms/usage/totals.ts'
import { monthsAgo, withMonths } from '../test/support/database/months.ts'
import { createDatabase, freePort, startPostgres } from '../test/support/database/postgres.ts'
import { serve } from '../test/support/server/program.ts'

// `node bench/months.ts [MESSAGES [month]]`: how long a history gets partitions, and how long retention takes
// a month of a million messages away, while 16 connections send; and the longest of these sends. `month`: the
// second alone.

const MESSAGES = Number(process.argv[2] ?? 1_000_000)
const CONNECTIONS = 16
const FORGET_MS = 20_000
const USER = 'benchuser000000'
const KEY = 'psk_bench'

const PEOPLE = [
  `insert into users (id, email, "tokenKey") values ('${USER}', 'bench@example.com', 'k')`,
  `insert into devices (id, "user", name, enabled, last_seen, "tokenKey")
   values ('benchphone00000', '${USER}', 'phone', true, '2099-01-01 00:00:00.000Z', 'k')`,
  `insert into api_keys (id, "user", name, prefix, hash)
   values ('benchkey0000000', '${USER}', 'bench', '${KEY}', '${createHash('sha256').update(KEY).digest('hex')}')`,
]

/** Messages over a month, each with two events; one of 1,000 has a reference. */
const fill = (from: string) => [
  `insert into sms_messages (id, status, message_type, "user", "to", body, client_ref, created, updated)
   select 'm' || n, 'delivered', 'outgoing', '${USER}', '+49' || n, 'Hello number ' || n,
     case when n % 1000 = 0 then 'order ' || n else '' end, t, t
   from generate_series(1, ${MESSAGES}) n, pb_text('${from}'::timestamptz + n * interval '27 days' / ${MESSAGES}) t`,
  `insert into sms_events (id, "user", message, status, created)
   select 'e' || n, '${USER}', 'm' || (n + 1) / 2, 'sent', pb_text('${from}'::timestamptz + n * interval '27 days' / ${2 * MESSAGES})
   from generate_series(1, ${2 * MESSAGES}) n`,
  'vacuum (analyze) sms_messages',
  'vacuum (analyze) sms_events',
]

const say = (line: string) => void process.stdout.write(`${line}\n`)
const postgres = await startPostgres({ settings: { max_connections: '200' } })

async function measure(what: string, prepare: 'plain' | 'months', run: typeof convertNow): Promise<void> {
  const DATABASE_URL = await createDatabase(postgres.url)
  const config = readConfig({ DATABASE_URL, LOG_LEVEL: 'warn' })
  const db = await openDb(config, createLogger(config))
  await migrate(db)
  const store = await openStore(db)
  for (const sql of PEOPLE) await db.query(sql)
  if (prepare === 'months') await withMonths(store, 5)
  for (const sql of fill(startOf(await monthsAgo(db, 5)))) await db.unhurried(sql)
  await countMessages(db)
  await buildIndexes(db, createLogger(config))
  await makeRetentionIndex(db, 'delete')
  const port = await freePort()
  const program = await serve({ DATABASE_URL, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'warn' })
  const sends = startSends(program.url)
  await new Promise((resolve) => setTimeout(resolve, 5_000))
  say(`${what}: before, ${sends.take()}`)
  for (const table of ['sms_messages', 'sms_events'])
    say(
      `  ${table}: ${(await db.query(`select count(*) from ${table} where created < '${startOf(await monthsAgo(db, 4))}'`)).rows[0]![0]} rows of the month`,
    )
  const begin = performance.now()
  await run(db, store)
  say(`${what}: ${Math.round(performance.now() - begin)} ms in all; ${sends.take()}`)
  await sends.stop()
  await program.stop()
  await store.close()
  await db.close()
}

function startSends(url: string) {
  let [count, failed, longest, isOver] = [0, 0, 0, false]
  const one = async () => {
    while (!isOver) {
      const begin = performance.now()
      const response = await fetch(`${url}/api/sms/send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': KEY },
        body: JSON.stringify({ recipients: ['+4915112345678'], body: 'Hi' }),
      })
      await response.arrayBuffer()
      count++
      if (response.status !== 200) failed++
      longest = Math.max(longest, performance.now() - begin)
    }
  }
  const all = Promise.all(Array.from({ length: CONNECTIONS }, one))
  return {
    take() {
      const said = `${count} sends, ${failed} failed, the longest ${Math.round(longest)} ms`
      ;[count, failed, longest] = [0, 0, 0]
      return said
    },
    async stop() {
      isOver = true
      await all
    },
  }
}

type Opened = Awaited<ReturnType<typeof openStore>>

async function convertNow(db: Opened['db'], _: Opened): Promise<void> {
  let last = performance.now()
  await partitionMessages(db, (step, done) => {
    say(`  ${step} ${done} after ${Math.round(performance.now() - last)} ms`)
    last = performance.now()
  })
}

/** What a transaction of the retention did, by its result. */
const nameOf = (result: unknown) =>
  typeof result === 'number' ? 'blank' : typeof result === 'object' ? 'copy' : 'prepare or swap'

/** Each transaction of more than 20 ms; what depends on the month is cleaned up for 20 s only. */
async function retireNow(db: Opened['db'], store: Opened): Promise<void> {
  const ending = new AbortController()
  const transaction = db.transaction.bind(db)
  let batches = 0
  let isDetached = false
  db.transaction = async (work) => {
    const begin = performance.now()
    const result = await transaction(work)
    const took = Math.round(performance.now() - begin)
    if (typeof result === 'boolean') batches++
    else if (!isDetached && took > 0) say(`  a transaction of ${took} ms: ${nameOf(result)}`)
    if (batches === 1 && !isDetached) {
      isDetached = true
      setTimeout(() => ending.abort(), FORGET_MS)
    }
    return result
  }
  const extensions = extensionsOf({ webhookAllowPrivate: false })
  await endOldMessages(store, extensions, { mode: 'delete', days: 60 }, ending.signal)
  say(`  ${batches} batches of 1,000 cleaned up in ${FORGET_MS} ms at most`)
}

if (process.argv[3] !== 'month') await measure('partitions', 'plain', convertNow)
await measure('a month', 'months', retireNow)
await postgres.stop()
