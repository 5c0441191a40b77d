import { sweepQueue } from '../../src/gateway/messages/queue/sweep-queue.ts'
import { readConfig } from '../../src/platform/config.ts'
import { migrateDatabase } from '../../src/platform/db/schema/migrate.ts'
import { createLogger } from '../../src/platform/log.ts'
import { openCatalogStore, openDb } from '../../test/support/database/open.ts'
import { startPostgres } from '../../test/support/database/postgres.ts'
import { makeDevice, makeUser } from '../../test/support/database/queue.ts'

// `npx node bench/inside/sweep.ts`: how long the sweeper looks at 1,000,000 stored and 10,000 open messages,
// nothing overdue.

const STORED = 1_000_000
const OPEN = 10_000
const USERS = 50
const DEVICES = 3
const TICKS = 200

const FILL = `insert into sms_messages
    (id, status, message_type, "user", device, "to", body, guarantee, created, updated)
  select 'm' || n, case when n <= ${OPEN} then 'assigned' else 'delivered' end, 'outgoing', users[1 + n % ${USERS}],
    devices[1 + n % ${USERS * DEVICES}], '+49' || n, 'hello', 'at_most_once', pb_text(now()), pb_text(now())
  from generate_series(1, ${STORED}) n, (select $1::text[] as users, $2::text[] as devices) given`

/** Seven in ten wait for their device, two are with it, one is scheduled. */
const QUEUE = `insert into sms_dispatch
    (message, "user", device, state, period, attempt, lease_until, wake_at, wakes, due_at, expires_at)
  select 'm' || n, users[1 + n % ${USERS}], case when n % 10 = 9 then '' else devices[1 + n % ${USERS * DEVICES}] end,
    (array['assigned','assigned','assigned','assigned','assigned','assigned','assigned','sending','sending','pending'])[1 + n % 10],
    '2026-11', 0, now() + interval '1 hour', now() + interval '1 hour', 1, now() + interval '1 hour',
    case when n % 2 = 0 then now() + interval '1 day' end
  from generate_series(1, ${OPEN}) n, (select $1::text[] as users, $2::text[] as devices) given`

const postgres = await startPostgres()
const config = readConfig({ DATABASE_URL: postgres.url, LOG_LEVEL: 'warn' })
const db = await openDb(config, createLogger(config))
await migrateDatabase(db)
const store = await openCatalogStore(db)
const users = await Promise.all(Array.from({ length: USERS }, () => makeUser(store)))
const owners = Array.from({ length: USERS * DEVICES }, (_, i) => users[i % USERS]!)
const devices: string[] = []
for (const owner of owners) devices.push((await makeDevice(store, owner)).id)
await db.query('set statement_timeout = 0')
for (const text of [FILL, QUEUE]) await db.query(text, [users, devices])
await db.script('analyze')

const times: number[] = []
for (let i = 0; i < TICKS; i++) {
  const begin = performance.now()
  await sweepQueue(store, 600)
  times.push(performance.now() - begin)
}
times.sort((a, b) => a - b)
const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(1)
process.stdout.write(
  `a sweep: median ${at(0.5)} ms, p95 ${at(0.95)} ms (${STORED} stored, ${OPEN} open)\n`,
)
await store.close()
await db.close()
await postgres.stop()
