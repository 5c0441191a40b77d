import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listRecords } from '../src/engine/records/list.ts'
import { makeAuthRecord, NO_REQUEST } from '../src/engine/request/request.ts'
import { readConfig } from '../src/platform/config.ts'
import { migrateDatabase } from '../src/platform/db/schema/migrate.ts'
import { createLogger } from '../src/platform/log.ts'
import { openCatalogStore, openDb } from '../test/support/database/open.ts'
import { makeDevice, makeUser } from '../test/support/database/queue.ts'

// `node bench/conversations.ts`: how long a user with 100,000 messages and 5,000 conversations waits for the
// pages that the console shows.

const MESSAGES = 100_000
const NUMBERS = 5_000
const ROUNDS = 100

/** One text in four comes in. */
const FILL = `insert into sms_messages
    (id, status, message_type, "user", device, "from", "to", body, guarantee, created, updated)
  select 'm' || n, case n % 4 when 0 then 'received' else 'delivered' end,
    case n % 4 when 0 then 'incoming' else 'outgoing' end, $1, $2,
    case n % 4 when 0 then '+4915' || (n / 4) % ${NUMBERS} else '' end,
    case n % 4 when 0 then '' else '+4915' || (n / 4) % ${NUMBERS} end,
    'A text of usual length, number ' || n, 'at_most_once', pb_text(now() - (${MESSAGES} - n) * interval '1 minute'), pb_text(now())
  from generate_series(1, ${MESSAGES}) n`

const PAGES = {
  'all, first page': 'archived = false',
  unread: 'archived = false && unread > 0',
  unanswered: 'archived = false && unanswered = true',
  archived: 'archived = true',
  search: 'archived = false && (number ~ "999" || name ~ "999" || last_text ~ "999")',
  'one number': 'number = "+491500"',
}

const folder = await mkdtemp(join(tmpdir(), 'bench-conversations-'))
const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'warn' })
const db = await openDb(config, createLogger(config))
await migrateDatabase(db)
const store = await openCatalogStore(db)
const user = await makeUser(store)
const device = await makeDevice(store, user)
await db.unhurried('set statement_timeout = 0')
await db.query(FILL, [user, device.id])

await db.query(
  `insert into conversations (id, "user", number, last_text, last_at, last_type, last_message, device, unread,
    unanswered, archived, created, updated)
  select pb_new_id(), $1, n.number, l.body, l.at, l.type, l.id, l.device, 0, l.type = 'incoming', false, l.at, l.at
  from (select distinct "from" as number from sms_messages where "from" <> '') n
  cross join lateral sms_conversation_last($1, n.number) l`,
  [user],
)
await db.query(`update conversations set unread = 2 where right(number, 2) = '00'`)
await db.query(`update conversations set archived = true where right(number, 1) = '1'`)
await db.unhurried('vacuum analyze')

const { rows } = await db.query('select xmin::text from users where id = $1', [user])
const users = store.catalog.find('users')!
const auth = makeAuthRecord(users, { id: user }, String(rows[0]![0]))
for (const [name, filter] of Object.entries(PAGES)) {
  const query = { filter, sort: '-last_at', perPage: '30' }
  const times: number[] = []
  let total = 0
  for (let i = 0; i < ROUNDS; i++) {
    const start = performance.now()
    const page = await listRecords(store, new Map(), store.catalog.find('conversations')!, {
      ...NO_REQUEST,
      query,
      auth,
    })
    times.push(performance.now() - start)
    total = JSON.parse(page).totalItems
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(1)
  process.stdout.write(`${name} (${total}): median ${at(0.5)} ms, p95 ${at(0.95)} ms\n`)
}
await store.close()
await db.close()
await rm(folder, { recursive: true, force: true })
