import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Db } from '../../../src/db/open.ts'
import { type Month, startOf } from '../../../src/db/partitions/names.ts'
import { partitionsOf } from '../../../src/db/partitions/state.ts'
import { extensionsOf } from '../../../src/extensions.ts'
import { endOldMessages } from '../../../src/sms/sweep/retention.ts'
import { monthsAgo, withMonths } from '../../support/database/months.ts'
import {
  ANN,
  BEN,
  type ServerWithUsers,
  startServerWithUsers,
} from '../../support/server/server-with-users.ts'

const extensions = extensionsOf({ webhookAllowPrivate: false })
const TEXT = 'a private text'
/** Some of a detached month is cleaned up. */
const MARKED = `obj_description(oid, 'pg_class') is not null`

describe.runIf(process.env.TEST_BACKEND === 'postgres')('months that are due', () => {
  let server: ServerWithUsers
  let db: Db
  let month: Month
  beforeAll(async () => {
    server = await startServerWithUsers()
    db = server.store.db
    await withMonths(server.store, 6)
    await db.query(
      `insert into webhooks (id, "user", url, secret) values ('hook', $1, 'https://a.example', 's')`,
      [ANN.id],
    )
    await db.query(`insert into sms_usage (id, "user", period, used) values ('usage', $1, '2020-01', 7)`, [
      ANN.id,
    ])
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    for (const table of [
      'sms_events',
      'webhook_deliveries',
      'webhook_payloads',
      'conversations',
      'smsgate_sends',
    ])
      await db.query(`delete from ${table}`)
    await db.query('delete from sms_messages')
    await withMonthsAgain()
    month = await monthsAgo(db, 5)
  })

  /** What a test has retired is there again. */
  async function withMonthsAgain() {
    const names = (await partitionsOf(db, 'sms_messages', 'sms_events')).map(({ name }) => name)
    for (const name of names) if (/\d$|_kept$/.test(name)) await db.query(`drop table ${name}`)
    await withMonths(server.store, 6)
  }

  const run = (signal?: AbortSignal) =>
    endOldMessages(server.store, extensions, { mode: 'delete', days: 60 }, signal)
  const count = async (from: string) => Number((await server.rows(`select count(*) from ${from}`))[0]![0])
  const partitions = async () =>
    (await partitionsOf(db, 'sms_messages', 'sms_events')).map(({ name }) => name)
  const named = (end = '') => `sms_messages_${month.replace('-', '_')}${end}`

  /** Messages of the month, each with an event then and one in the next month, and a delivery. */
  async function add(
    prefix: string,
    many: number,
    more: { user?: string; status?: string; ref?: string; updated?: string } = {},
  ) {
    const { user = ANN.id, status = 'delivered', ref = '', updated } = more
    const at = `${startOf(month)} 12:00:00.000Z`
    await db.query(
      `with m as (
         insert into sms_messages (id, "user", status, "to", body, message_type, client_ref, created, updated)
         select $1 || lpad(i::text, 12, '0'), $2, $3, '+4915112345678', $4, 'outgoing',
           case $5 when '' then '' else $5 || i end, $6, $7
         from generate_series(1, $8::int) i returning *
       ), d as (
         insert into webhook_deliveries (id, "user", webhook, event_id, event, message, status, response_body)
         select 'd' || substr(id, 2), "user", 'hook', 'v' || id, 'message.sent', id, 'delivered', 'got: ' || body from m
         returning id
       )
       insert into sms_events (id, "user", message, status, created)
       select 'e' || n || substr(m.id, 3), "user", m.id, m.status, pb_text($6::timestamptz + make_interval(months => n))
       from m, generate_series(0, 1) n`,
      [prefix, user, status, TEXT, ref, at, updated ?? at, many],
    )
  }

  const total = async (user: string) =>
    Number(
      (
        await server.rows(
          `select coalesce(sum(messages), 0) + coalesce((select messages from sms_turns where "user" = $1), 0)
           from sms_totals where relation = 'sms_messages'::regclass and "user" = $1`,
          [user],
        )
      )[0]![0],
    )
  const totalsAreExact = async () => {
    for (const { id } of [ANN, BEN])
      expect([id, await total(id)]).toEqual([id, await count(`sms_messages where "user" = '${id}'`)])
  }

  test('go as a whole, with events of later months and all else that hangs on them', async () => {
    await add('old', 1_500)
    await add('ben', 10, { user: BEN.id })
    await db.query(
      `insert into conversations (id, "user", number, last_message, last_text) values ('talk', $1, '+49', 'old000000000001', $2)`,
      [ANN.id, TEXT],
    )
    await db.query(
      `insert into smsgate_sends ("user", id, ref, is_batch, created) values ($1, 'app', 'old000000000001', false, '')`,
      [ANN.id],
    )
    await run()
    for (const table of ['sms_messages', 'sms_events', 'webhook_deliveries', 'smsgate_sends'])
      expect([table, await count(table)]).toEqual([table, 0])
    expect(await count(`conversations where last_text = ''`)).toBe(1)
    expect(await count('sms_usage where used = 7')).toBe(1)
    expect((await partitions()).filter((name) => name.includes(month.replace('-', '_')))).toEqual([])
    expect(
      await count(`pg_class where relname like 'sms%gone' or relname like 'sms%log' and relname like '%20%'`),
    ).toBe(0)
    await totalsAreExact()
  })

  test('leave what is open, was updated later or has a reference', async () => {
    await add('old', 20)
    await add('opn', 2, { status: 'assigned' })
    await add('new', 3, { updated: '2999-01-01 00:00:00.000Z' })
    await add('ref', 4, { ref: 'order-' })
    await run()
    const rows = await server.rows(
      `select left(id, 3), count(*)::int, max(body), max("to") from sms_messages group by 1 order by 1`,
    )
    expect(rows).toEqual([
      ['new', 3, TEXT, '+4915112345678'],
      ['opn', 2, TEXT, '+4915112345678'],
      ['ref', 4, '', ''],
    ])
    expect(await count('sms_events')).toBe(18)
    expect(await count(`webhook_deliveries where response_body like '%private%'`)).toBe(5)
    expect(await partitions()).toContain(named('_kept'))
    await totalsAreExact()
    // what stayed is deleted one by one, once it is due
    await db.query(
      `update sms_messages set status = 'failed', updated = created where id like 'opn%' or id like 'new%'`,
    )
    await run()
    expect(await count('sms_messages')).toBe(4)
    await totalsAreExact()
    await db.query('delete from sms_messages')
    await run()
    expect(await partitions()).not.toContain(named('_kept'))
  })

  test('lose nothing that changes while they are copied', async () => {
    await add('old', 200)
    await add('ref', 2, { ref: 'order-' })
    const changes = async (inside: Db) => {
      await inside.query(`update sms_messages set updated = pb_text(now()) where id = 'old000000000001'`)
      await inside.query(`update sms_messages set "user" = $1 where id = 'old000000000002'`, [BEN.id])
      await inside.query(`delete from sms_messages where id in ('old000000000003', 'ref000000000001')`)
      await inside.query(
        `insert into sms_messages (id, "user", status, created) values ('late', $1, 'pending', $2)`,
        [ANN.id, startOf(month)],
      )
      await inside.query(
        `insert into sms_messages (id, "user", status, created) values ('later', $1, 'sent', $2)`,
        [ANN.id, startOf(month)],
      )
    }
    const transaction = db.transaction.bind(db)
    let isChanged = false
    db.transaction = async (work) => {
      const result = await transaction(work)
      const isCopied = typeof result === 'object' && result !== null && 'snapshot' in result
      if (isCopied && !isChanged) {
        isChanged = true
        await changes(db)
      }
      return result
    }
    await run()
    db.transaction = transaction
    expect(isChanged).toBe(true)
    const left = (await server.rows('select id from sms_messages order by id')).flat()
    expect(left).toEqual(['late', 'old000000000001', 'ref000000000002'])
    expect(await count(`sms_events where message = 'old000000000001'`)).toBe(2)
    await totalsAreExact()
  })

  test.each(['copied', 'detached', 'half forgotten'])(
    'are taken up again when a kill left them %s',
    async (where) => {
      await add('old', 2_500)
      await add('opn', 2, { status: 'assigned' })
      const transaction = db.transaction.bind(db)
      db.transaction = async (work) => {
        const result = await transaction(work)
        const isCopied = typeof result === 'object' && result !== null && 'snapshot' in result
        if (isCopied && where === 'copied') throw new Error('killed')
        if (
          where === 'half forgotten' &&
          (await count(`pg_class where relname like '%gone' and ${MARKED}`)) === 1
        )
          throw new Error('killed')
        if (where === 'detached' && (await count(`pg_class where relname like 'sms_messages%gone'`)) === 1)
          throw new Error('killed')
        return result
      }
      await expect(run()).rejects.toThrow('killed')
      db.transaction = transaction
      await totalsAreExact()
      await Promise.all([run(), run()])
      await run()
      expect(await count('sms_messages')).toBe(2)
      expect(await count('sms_events')).toBe(4)
      expect(await count('webhook_deliveries')).toBe(2)
      await totalsAreExact()
    },
  )
})
