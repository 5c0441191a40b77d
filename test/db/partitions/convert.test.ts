import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildIndexes, indexStates } from '../../../src/collections/table/background-indexes.ts'
import { openDb } from '../../../src/db/open.ts'
import { makeMonths } from '../../../src/db/partitions/months.ts'
import { isPartitioned, partitionsOf } from '../../../src/db/partitions/state.ts'
import { createLogger } from '../../../src/log.ts'
import { start } from '../../../src/server.ts'
import { MONTHLY_TABLES, partitionAtStart, partitionMessages } from '../../../src/sms/months/partition.ts'
import { makeRetentionIndex } from '../../../src/sms/sweep/retention-index.ts'
import { readNumbering } from '../../../src/transfer/rows.ts'
import { tablesOf } from '../../../src/transfer/tables.ts'
import { type ServerWithUsers, startServerWithUsers } from '../../support/server/server-with-users.ts'
import { openPreparedDb, testConfig } from '../../support/server/start.ts'

const KILLED = new Error('killed')
const onPlain = process.env.TEST_BACKEND === 'postgres' && process.env.PARTITION !== 'month'
const silent = createLogger({ logLevel: 'silent' })

test.runIf(process.env.TEST_BACKEND !== 'postgres')('the embedded database has no partitions', async () => {
  const db = await openPreparedDb()
  try {
    await expect(partitionMessages(db, () => {})).rejects.toThrow('Partitions need Postgres')
    await expect(testConfig({ PARTITION: 'month', DATABASE_URL: '' })).rejects.toThrow(
      'PARTITION=month needs DATABASE_URL',
    )
  } finally {
    await db.close()
  }
})

describe.runIf(onPlain)('under running sends, killed at each step', () => {
  let server: ServerWithUsers
  const outcomes: string[] = []
  const accepted: string[] = []
  let isOver = false
  beforeAll(async () => {
    server = await startServerWithUsers()
    await server.rows(`create view newest as select id, body from sms_messages where created > '2020'`)
    await server.rows('create view newer as select id from newest')
    // it belongs to no month for a long time
    await server.rows(
      `insert into sms_messages (id, "user", created) values ('faraway', 'annaaaaaaaaaaaa', '2999-01-01')`,
    )
    await server.rows(`insert into sms_messages (id, "user") values ('undated', 'annaaaaaaaaaaaa')`)
    const sender = async (i: number) => {
      for (let n = 0; !isOver; n++) {
        const { status, body } = await server.send({ client_ref: `sender ${i} number ${n}` })
        if (status !== 200) throw new Error(JSON.stringify(body))
        accepted.push(`sender ${i} number ${n}`)
      }
    }
    const senders = Promise.all([1, 2, 3, 4].map(sender))
    for (const table of MONTHLY_TABLES)
      for (const step of [0, 1, 2, 3]) {
        const kill = (name: string, done: number) => {
          if (name.startsWith(table) && done === step) throw KILLED
        }
        await partitionMessages(server.store.db, kill).catch((error) => expect(error).toBe(KILLED))
      }
    outcomes.push(await partitionMessages(server.store.db, () => {}))
    outcomes.push(await partitionMessages(server.store.db, () => {}))
    isOver = true
    await senders
  })
  afterAll(() => server.stop())

  test('it is done at last, and there is nothing to do then', async () => {
    expect(outcomes).toEqual(['nothing to do', 'nothing to do'])
    for (const table of MONTHLY_TABLES) expect(await isPartitioned(server.store.db, table)).toBe(true)
  })

  test('no send failed, was lost or stored twice', async () => {
    expect(accepted.length).toBeGreaterThan(10)
    const stored = await server.rows(`select client_ref from sms_messages where client_ref <> '' order by 1`)
    expect(stored.flat()).toEqual([...accepted].sort())
  })

  test('totals are those of the messages, and go on', async () => {
    const count = async () => {
      const [[total]] = (await server.rows(
        `select sum(c.messages) + (select sum(messages) from sms_turns) from sms_totals c where c.relation = 'sms_messages'::regclass`,
      )) as [[unknown]]
      return Number(total) - Number((await server.rows('select count(*) from sms_messages'))[0]![0])
    }
    expect(await count()).toBe(0)
    await server.send()
    await server.rows(`delete from sms_messages where id = 'undated'`)
    expect(await count()).toBe(0)
  })

  test('rows lie in their partitions, numbers go on', async () => {
    const places = await server.rows(
      `select id, tableoid::regclass::text from sms_messages where id in ('faraway', 'undated') order by 1`,
    )
    expect(places[0]).toEqual(['faraway', 'sms_messages_other'])
    const [[unique, all, last]] = (await server.rows(
      'select count(distinct _rowid), count(*), max(_rowid) from sms_messages',
    )) as [[unknown, unknown, unknown]]
    expect(unique).toBe(all)
    const table = (await tablesOf(server.store.db)).find(({ name }) => name === 'sms_messages')!
    expect((await readNumbering(server.store.db, table))[0]!.last).toBe(String(last))
  })

  test('views read the new table, and keep reading each other', async () => {
    const [[before]] = (await server.rows('select count(*) from newer')) as [[unknown]]
    await server.send()
    expect((await server.rows('select count(*) from newer'))[0]![0]).toBe(Number(before) + 1)
  })

  test('nothing is left of the kills, and partitions are no tables of a backup', async () => {
    const names = (await tablesOf(server.store.db)).map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('sms_messages') || name.startsWith('sms_events'))).toEqual([
      'sms_events',
      'sms_messages',
    ])
  })

  test('indexes that are missing are built in each partition, and attached', async () => {
    const { db } = server.store
    await db.query('drop index sms_messages_by_time')
    await buildIndexes(db, silent, 0)
    expect(new Set((await indexStates(db)).values())).toEqual(new Set(['ready']))
    expect(await makeRetentionIndex(db, 'delete')).toBe(true)
    expect(await makeRetentionIndex(db, 'redact')).toBe(true)
  })

  test('the months to come are made once, by whichever of two nodes', async () => {
    const { db } = server.store
    const before = (await partitionsOf(db, ...MONTHLY_TABLES)).map(({ name }) => name)
    const newest = before.filter((name) => /\d$/.test(name)).slice(-1)[0]!
    await db.query(`drop table ${newest}`)
    // the first minutes of such a month, in which nobody has made it
    await Promise.all([makeMonths(db, MONTHLY_TABLES), makeMonths(db, MONTHLY_TABLES)])
    expect((await partitionsOf(db, ...MONTHLY_TABLES)).map(({ name }) => name)).toEqual(before)
  })

  test('rows of a month that came before its partition move into it', async () => {
    const { db } = server.store
    const months = (await partitionsOf(db, 'sms_messages')).filter(({ name }) => /\d$/.test(name))
    const newest = months.at(-1)!.name
    await db.query(`drop table ${newest}`)
    const created = `${newest.slice(-7).replace('_', '-')}-15 12:00:00.000Z`
    await db.query(`insert into sms_messages (id, created) values ('early', $1)`, [created])
    await makeMonths(db, MONTHLY_TABLES)
    const { rows } = await db.query(`select tableoid::regclass::text from sms_messages where id = 'early'`)
    expect(rows).toEqual([[newest]])
  })
})

test.runIf(onPlain)('a check that a kill has left is removed within the hour', async () => {
  const db = await openPreparedDb()
  try {
    const kill = (_: string, done: number) => {
      if (done === 1) throw KILLED
    }
    await expect(partitionMessages(db, kill)).rejects.toBe(KILLED)
    await expect(db.query(`insert into sms_messages (id, created) values ('x', '2999')`)).rejects.toThrow(
      'check',
    )
    await makeMonths(db, MONTHLY_TABLES)
    await db.query(`insert into sms_messages (id, created) values ('x', '2999')`)
  } finally {
    await db.close()
  }
})

describe.runIf(onPlain)('a server with PARTITION=month', () => {
  test('makes partitions at its start while few messages are stored', async () => {
    const config = await testConfig({ PARTITION: 'month' }, 'prepared')
    const server = await start(config)
    expect(await isPartitioned(server.services.store.db, 'sms_messages')).toBe(true)
    await server.stop()
    // without the setting it goes on with them
    const again = await start({ ...config, partition: 'none' })
    expect(await isPartitioned(again.services.store.db, 'sms_events')).toBe(true)
    await again.stop()
  })

  test('leaves a larger history as it is, and names the command', async () => {
    const config = await testConfig({ PARTITION: 'month' }, 'prepared')
    const db = await openDb(config, silent)
    try {
      await db.query(`insert into sms_messages (id) select 'm' || i from generate_series(1, 20000) i`)
      const said: string[] = []
      const log = Object.assign(createLogger(config), { warn: (text: string) => said.push(text) })
      await partitionAtStart(db, config, log as never)
      expect(said).toEqual([expect.stringContaining('pocketsms partition')])
      expect(await isPartitioned(db, 'sms_messages')).toBe(false)
    } finally {
      await db.close()
    }
  })
})
