import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openEmbedded } from '../../src/platform/db/embedded/embedded.ts'
import { makePostgresSettings } from '../../src/platform/db/embedded/postgres-settings.ts'
import { createLogger } from '../../src/platform/log.ts'
import { EmbeddedData } from '../../test/support/database/embedded-data.ts'
import { freePort } from '../../test/support/database/postgres.ts'
import { serve } from '../../test/support/server/program.ts'
import { makeUser, pairDevice, signIn } from '../../test/support/server/server-with-devices.ts'
import { SUPERUSER } from '../../test/support/server/start.ts'
import { Load, makeAccounts, type Rates } from '../../test/torture/soak/load.ts'
import { proportionalMb } from '../process.ts'
import { seed } from '../seed.ts'

const USAGE = `npx node bench/inside/embedded.ts [--memory 1,4,16] [--set NAME=VALUE …] [--minutes 10] [--rate 150]
  [--empty]
What the settings of the embedded Postgres do under the load of the soak, over 200,000 stored texts (--empty: over none):
blocks that were read, write-ahead log, checkpoints, dead rows, memory; and p50/p99 of sends and lists, which count on a
quiet machine only. --rate: sends a second; the rest in proportion. --memory: with the settings for machines of so many GB. --set: instead of these.
`
/** Of the soak, for each send. */
const RATES = { sends: 1, codes: 2 / 150, incoming: 5 / 150, lists: 20 / 150, exports: 0.1 / 150 }
const [ACCOUNTS, PHONES] = [20, 2]

const FIGURES = `select
  (select blks_read from pg_stat_database where datname = current_database())::float8 as "blocks read",
  (select blks_hit from pg_stat_database where datname = current_database())::float8 as "blocks hit",
  (select wal_bytes from pg_stat_wal)::float8 / 1048576 as "WAL MB",
  (select wal_fpi from pg_stat_wal)::float8 as "full page images",
  (select num_timed + num_requested from pg_stat_checkpointer)::float8 as checkpoints,
  (select buffers_written from pg_stat_checkpointer)::float8 as "buffers of checkpoints",
  (select sum(autovacuum_count) from pg_stat_user_tables)::float8 as vacuums`
const LEFT = `select (select pg_database_size(current_database()))::float8 / 1048576 as "database MB",
  (select sum(n_dead_tup) from pg_stat_user_tables where relname like '%dispatch')::float8 as "dead rows of queues",
  (select sum(n_dead_tup) from pg_stat_user_tables where relname = 'sms_messages')::float8 as "dead rows of texts"`

type Figures = Readonly<Record<string, number>>

async function measure(
  settings: Record<string, string | number>,
  minutes: number,
  rate: number,
  isEmpty: boolean,
): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-embedded-'))
  const data = new EmbeddedData(folder)
  data.make()
  const postgres = await openEmbedded(folder, createLogger({ logLevel: 'warn' }), settings)
  const db = new pg.Client({
    connectionString: postgres.superuserUrl.replace(/\/postgres\b(?=\?|$)/, '/pocketsms'),
  })
  await db.connect()
  if (!isEmpty) await seed(async (text) => void (await db.query(text)))
  const url = { HOST: '127.0.0.1', PORT: String(await freePort()) }
  const server = await serve({ ...data.env, ...url, WEBHOOK_ALLOW_PRIVATE: 'true' })
  try {
    const root = await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
    const pair = { platform: 'simulator' }
    const accounts = await makeAccounts(
      ACCOUNTS,
      PHONES,
      () => makeUser(server.url, root),
      (user) => pairDevice(server.url, user, pair),
    )
    const load = await Load.start([server.url], accounts, { isMixed: true })
    await db.query('checkpoint')
    const before = (await db.query(FIGURES)).rows[0] as Figures
    const begin = performance.now()
    const rates = Object.fromEntries(
      Object.entries(RATES).map(([kind, share]) => [kind, share * rate]),
    )
    await load.keepUp(rates as Rates, AbortSignal.timeout(minutes * 60_000))
    const after = (await db.query(FIGURES)).rows[0] as Figures
    const left = (await db.query(LEFT)).rows[0] as Figures
    const processes = data.processes().length
    const postgresMb = data.processes().reduce((sum, pid) => sum + proportionalMb(pid), 0)
    const serverMb = proportionalMb(server.pid)
    const times = load.ledger.quantiles(begin, performance.now())
    const sent = load.ledger.sent.size
    await load.stop()
    return {
      texts: sent,
      ...Object.fromEntries(
        Object.entries(after).map(([name, value]) => [name, value - before[name]!]),
      ),
      ...left,
      processes,
      'Postgres MB': postgresMb,
      'server MB': serverMb,
      'send p50': times.get('send')![0],
      'send p99': times.get('send')![1],
      'list p50': times.get('list')![0],
      'list p99': times.get('list')![1],
    }
  } finally {
    await server.stop()
    await db.end()
    await postgres.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const { values } = parseArgs({
  options: {
    memory: { type: 'string', default: '1,4,16' },
    set: { type: 'string', multiple: true, default: [] },
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '150' },
    empty: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) process.stdout.write(USAGE)
else {
  const GB = 2 ** 30
  const changed = Object.fromEntries(values.set.map((text) => text.split('=') as [string, string]))
  const results = new Map<string, Figures>()
  for (const memory of values.memory.split(',').map(Number)) {
    const settings = { ...makePostgresSettings(memory * GB), ...changed }
    const found = await measure(settings, Number(values.minutes), Number(values.rate), values.empty)
    results.set(`${memory} GB`, found)
    console.log(`${memory} GB`, JSON.stringify(settings))
  }
  console.table(
    Object.fromEntries(
      Object.keys([...results.values()][0]!).map((name) => [
        name,
        Object.fromEntries(
          [...results].map(([memory, found]) => [memory, Math.round(found[name]! * 10) / 10]),
        ),
      ]),
    ),
  )
}
process.exit()
