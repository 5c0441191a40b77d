import { endOldMessages } from '../../../src/gateway/retention/end-old-messages.ts'
import {
  HAS_CONTENT_SQL,
  makeRetentionIndex,
} from '../../../src/gateway/retention/make-retention-index.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { startServer } from '../../support/server/start.ts'

const USER = 'olduser00000000'
const DAYS = 30
const TEXT = 'a private text'
const extensions = collectExtensions({ webhookAllowPrivate: false })

const { store } = (await startServer()).services
await store.db.query(
  `insert into users (id, email, "tokenKey") values ($1, 'old@example.com', 'k')`,
  [USER],
)
await store.db.query(
  `insert into webhooks (id, "user", url, secret) values ('hook', $1, 'https://a.example', 's')`,
  [USER],
)

const TABLES = ['sms_messages', 'sms_events', 'webhook_deliveries', 'webhook_payloads']
beforeEach(async () => {
  for (const table of [...TABLES, '_changes', '_listeners'])
    await store.db.query(`delete from ${table}`)
})

const run = (mode: 'redact' | 'delete', days = DAYS) =>
  endOldMessages(store, extensions, { mode, days })
const count = async (from: string) =>
  Number((await store.db.query(`select count(*) from ${from}`)).rows[0]![0])

/** Messages that came to this status so many days ago, each with an event and a webhook's delivery. */
async function add(
  prefix: string,
  status: string,
  days: number,
  many = 1,
  ref = '',
): Promise<void> {
  await store.db.query(
    `with m as (
       insert into sms_messages (id, "user", status, "to", body, message_type, client_ref, created, updated)
       select $1 || lpad(i::text, 12, '0'), $2, $3, '+4915112345678', $4,
         case $3 when 'received' then 'incoming' else 'outgoing' end, case $5 when '' then '' else $5 || i end,
         pb_text(now() - make_interval(days => $6, secs => i)), pb_text(now() - make_interval(days => $6, secs => i))
       from generate_series(1, $7::int) i returning *
     ), e as (
       insert into sms_events (id, "user", message, status, created) select 'e' || substr(id, 2), "user", id, status, created from m
     ), d as (
       insert into webhook_deliveries (id, "user", webhook, event_id, event, message, status, response_body)
       select 'd' || substr(id, 2), "user", 'hook', 'v' || id, 'message.sent', id, 'delivered', 'got: ' || body from m
       returning id, message
     )
     insert into webhook_payloads (delivery, at, image) select d.id, now(), row_to_json(m) from d join m on m.id = d.message`,
    [prefix, USER, status, TEXT, ref, days, many],
  )
}

/** Where the text of the messages still stands, over all tables that keep one. */
async function places(): Promise<number[]> {
  const messages = await count(`sms_messages where body = '${TEXT}'`)
  const payloads = await count(`webhook_payloads where image::text like '%${TEXT}%'`)
  const answers = await count(`webhook_deliveries where response_body like '%${TEXT}%'`)
  return [messages, payloads, answers]
}

test.each([
  ['delivered', 31, 0],
  ['sent', 31, 0],
  ['failed', 31, 0],
  ['received', 31, 0],
  ['delivered', 29, 1],
  ['pending', 31, 1],
  ['assigned', 31, 1],
  ['sending', 31, 1],
])(
  'redaction of a message %s %i days ago leaves its text in %i messages',
  async (status, days, left) => {
    await add('mmm', status, days)
    await run('redact')
    expect(await places()).toEqual([left, left, left])
    expect(await count('sms_messages')).toBe(1)
    expect(await count('sms_events')).toBe(1)
  },
)

test('without a retention, no message is deleted', async () => {
  await add('mmm', 'delivered', 1000)
  expect(await run('delete', 0)).toBe(0)
  expect(await count('sms_messages')).toBe(1)
})

test('deletion removes messages with their events and calls, and keeps usage counts', async () => {
  await store.db.query(
    `insert into sms_usage (id, "user", period, used) values ('usage', $1, '2020-01', 7)`,
    [USER],
  )
  await add('old', 'delivered', 31, 3)
  await add('new', 'delivered', 1, 2)
  await add('opn', 'assigned', 31, 1)
  expect(await run('delete')).toBe(3)
  for (const table of TABLES) expect([table, await count(table)]).toEqual([table, 3])
  expect(await count(`sms_usage where used = 7`)).toBe(1)
})

test('deletion keeps a message with a client_ref, without text and numbers, so that the ref stays unique', async () => {
  await add('ref', 'delivered', 31, 1, 'order-')
  expect(await run('delete')).toBe(1)
  expect(await run('delete')).toBe(0)
  const { rows } = await store.db.query('select client_ref, body, "to" from sms_messages')
  expect(rows).toEqual([['order-1', '', '']])
  expect(await places()).toEqual([0, 0, 0])
  expect(await count(`webhook_payloads where image::text like '%4915%'`)).toBe(0)
})

test('redacted messages are deleted when deletion is turned on later', async () => {
  await add('mmm', 'delivered', 31, 2)
  expect([await run('redact'), await run('redact'), await run('delete')]).toEqual([2, 0, 2])
})

test('retention writes no changes for subscribers', async () => {
  await store.db.query(`insert into _listeners (node) values ('here')`)
  await add('mmm', 'delivered', 31, 5)
  await store.db.query('delete from _changes')
  await run('redact')
  await run('delete')
  expect(await count('_changes')).toBe(0)
})

test('retention works in batches, and an interrupted run keeps its finished batches', async () => {
  await add('mmm', 'delivered', 31, 2_500)
  const stopped = new AbortController()
  const { db } = store
  const transaction = db.transaction.bind(db)
  const watched = vi.spyOn(db, 'transaction').mockImplementation(async (work) => {
    const result = await transaction(work)
    if (result === 1_000) stopped.abort()
    return result
  })
  const mode = { mode: 'redact', days: DAYS } as const
  expect(await endOldMessages(store, extensions, mode, stopped.signal)).toBe(1_000)
  watched.mockRestore()
  expect(await count(`sms_messages where body = ''`)).toBe(1_000)
  expect(await run('redact')).toBe(1_500)
  expect(await places()).toEqual([0, 0, 0])
})

test('two nodes at once redact each message once', async () => {
  await add('mmm', 'delivered', 31, 1_500)
  const [a, b] = await Promise.all([run('redact'), run('redact')])
  expect(a + b + (await run('redact'))).toBe(1_500)
})

test("building the retention index waits for open transactions and drops the other mode's index", async () => {
  await makeRetentionIndex(store.db, 'redact')
  await makeRetentionIndex(store.db, 'delete')
  await store.db.query('drop index sms_messages_kinds_to_delete')
  let made: Promise<boolean> | undefined
  await store.db.transaction(async (old) => {
    // until this is over the index cannot be finished
    await old.query('lock table sms_messages in row exclusive mode')
    made = makeRetentionIndex(store.db, 'delete')
    const making = `select count(*)::int from pg_stat_progress_create_index
      where index_relid = to_regclass('sms_messages_kinds_to_delete')`
    await vi.waitFor(async () => expect((await store.db.query(making)).rows).toEqual([[1]]), 60_000)
    expect(await makeRetentionIndex(store.db, 'delete')).toBe(false)
  })
  expect(await made).toBe(true)
  expect(await makeRetentionIndex(store.db, 'delete')).toBe(true)
  const found = `select indexrelid::regclass::text, indisvalid from pg_index
    where indexrelid in (to_regclass('sms_messages_kinds_to_redact'), to_regclass('sms_messages_kinds_to_delete'))`
  expect((await store.db.query(found)).rows).toEqual([['sms_messages_kinds_to_delete', true]])
})

test.each([
  ['done', 31, ''],
  ['canceled', 31, ''],
  ['paused', 31, TEXT],
  ['done', 29, TEXT],
])(
  'a campaign that is %s for %i days has the text "%s" after redaction',
  async (status, days, body) => {
    const id = `${status}${days}`.padEnd(15, '0')
    await store.db.query(
      `insert into campaigns (id, "user", status, body, recipients, updated)
     values ($1, $2, $3, $4, '["+4915112345678"]', pb_text(now() - make_interval(days => $5)))`,
      [id, USER, status, TEXT, days],
    )
    await run('redact')
    const { rows } = await store.db.query(
      'select body, recipients::text from campaigns where id = $1',
      [id],
    )
    expect(rows).toEqual([[body, body === '' ? '[]' : '["+4915112345678"]']])
  },
)

test.each(['redact', 'delete'] as const)(
  '%s finds the oldest messages by an index',
  async (mode) => {
    await add('mmm', 'delivered', 1, 5_000)
    await run(mode)
    await store.db.query('analyze sms_messages')
    const { rows } = await store.db.query(
      `explain select id from sms_messages where "user" = $1 and message_type = 'outgoing'
       and created < '2020-01-01' and ${HAS_CONTENT_SQL[mode]} order by created limit 1000`,
      [USER],
    )
    expect(rows.flat().join('\n')).toContain(`sms_messages_kinds_to_${mode}`)
  },
)
