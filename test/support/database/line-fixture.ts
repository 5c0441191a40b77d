import { vi } from 'vitest'
import type { Store } from '../../../src/engine/collections/catalog.ts'
import { makeAnswerJobs } from '../../../src/gateway/conversations/send-auto-answers.ts'
import {
  type ReceivedText,
  receiveTexts,
} from '../../../src/gateway/conversations/store-received-texts.ts'
import { cancelMessage } from '../../../src/gateway/messages/queue/cancel-messages.ts'
import { claimMessages } from '../../../src/gateway/messages/queue/claim-messages.ts'
import { acceptSend } from '../../../src/gateway/messages/send/accept-send.ts'
import { readSend } from '../../../src/gateway/messages/send/read-send.ts'
import { SEND } from '../../../src/gateway/messages/send/send-body-schema.ts'
import { openAcceptor } from '../../../src/gateway/messages/send/store-offers.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { makeWorker } from '../../../src/platform/jobs/job-worker.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { testConfig } from '../server/start.ts'
import { stopLater } from '../stops.ts'
import { FORGET_CONSENTS } from './forget-consents.ts'
import { openCatalogStore, openDb } from './open.ts'
import { ownerWith, permitOf } from './permits.ts'

/**
 * now() of the test's own, before that of Postgres on the search path: statements, functions and triggers of
 * the database take it. Defaults of columns do not.
 */
const CLOCK = `
create schema clock;
create table clock.hand (at timestamptz);
insert into clock.hand values (null);
create function clock.now() returns timestamptz language sql stable
  as 'select coalesce((select at from clock.hand), pg_catalog.now())';
do $$ begin
  execute format('alter database %I set search_path = public, clock, pg_catalog', current_database());
end $$`

/** A prepared database, open as often as there are nodes, with a clock that tests set. */
async function openClockedDb() {
  const config = await testConfig({}, 'prepared')
  const open = () => openDb(config, createLogger(config))
  let first = await open()
  await first.script(CLOCK)
  await first.close() // its connections have the old path
  first = await open()
  const second = await open()
  stopLater(() => void vi.useRealTimers())
  return {
    nodes: [first, second] as const,
    /** Sets the clock of this process and of the database, where it then stands still; null: it is let go. */
    async at(instant: string | null): Promise<void> {
      vi.useRealTimers()
      if (instant) vi.useFakeTimers({ toFake: ['Date'], now: new Date(instant) })
      await first.query('update clock.hand set at = $1', [instant])
    },
  }
}

const USER = 'lineuser0000000'
const pad = (name: string) => name.padEnd(15, '0')

export type LineFixture = Awaited<ReturnType<typeof openLineFixture>>

/** Sending by lines without a server: one user, devices `a`, `b` … and lines such as `a1`, slot 1 of `a`. */
export async function openLineFixture(env: Record<string, string> = {}) {
  const clocked = await openClockedDb()
  const [db, otherDb] = clocked.nodes
  const store = await openCatalogStore(db)
  const otherStore = otherDb === db ? store : await openCatalogStore(otherDb)
  const config = readConfig(env)
  await db.query(
    `insert into users (id, email, "tokenKey") values ($1, 'line@example.com', 'k'), ('theirs000000000', 'their@example.com', 'l')`,
    [USER],
  )
  const { rows } = await db.query('select xmin::text from users where id = $1', [USER])
  const log = createLogger(config)
  const acceptor = openAcceptor(store, config)
  const answers = makeAnswerJobs(() => ({ store, config, acceptor }))
  const sender = ownerWith(USER, String(rows[0]![0]))
  const query = async (sql: string, params: unknown[] = []) =>
    (await db.query(sql, params)).rows as unknown[][]
  const deviceOf = (name: string) => ({
    id: pad(name),
    user: USER,
    phone: '',
    enabled: true,
    lastSeen: '',
    isLimited: true,
  })
  const makeDevice = (name: string, user: string, slots: number[]) =>
    db.query(
      `insert into devices (id, "user", name, enabled, last_seen, "tokenKey", sims)
      values ($1, $2, $1, true, '2099-01-01 00:00:00.000Z', $1, $3)`,
      [pad(name), user, JSON.stringify(slots.map((slot) => ({ slot })))],
    )
  const nodeOf = (store: Store) => {
    const services = { store, config, acceptor: openAcceptor(store, config) }
    return async (body: object) => {
      const { ids } = await acceptSend(services, sender, {
        read: () => ({ body: readSend(SEND, { body: 'Hi', ...body }, new Date()) }),
      })
      const found = new Map(
        (await query('select id, line from sms_messages where id = any($1)', [ids])) as [
          string,
          string,
        ][],
      )
      return ids.map((id) => found.get(id)!.replace(/0+$/, '') || null)
    }
  }
  const sendAll = nodeOf(store)
  await makeDevice('theirs', 'theirs000000000', [1])
  await query(`update lines set id = 'theirsline00000' where device = $1`, [pad('theirs')])
  return {
    store,
    /** Of two nodes, the first of which is `store`. */
    stores: [store, otherStore] as const,
    user: USER,
    /** As after `openLineFixture`. */
    async reset() {
      await clocked.at(null)
      for (const table of [
        'sms_messages',
        'sms_dispatch',
        'conversations',
        'contacts',
        'user_settings',
        'auto_answers',
        'auto_answers_sent',
        '_jobs',
      ])
        await query(`delete from ${table}`)
      await query(FORGET_CONSENTS)
      await query('delete from devices where "user" = $1', [USER])
      await query('delete from device_handouts')
      await query('update sms_turns set turn = 0')
    },
    /** Makes devices with these lines. */
    async lines(...names: string[]) {
      for (const [device, some] of Map.groupBy(names, ([first]) => first!)) {
        await makeDevice(
          device,
          USER,
          some.map((name) => Number(name[1])),
        )
        for (const name of some)
          await query('update lines set id = $1 where device = $2 and slot = $3', [
            pad(name),
            pad(device),
            name[1],
          ])
      }
    },
    /** SQL of what a line is to have. */
    async set(line: string, columns: string) {
      await query(`update lines set ${columns} where id = $1`, [pad(line)])
    },
    idOf: pad,
    /** A request's fields with the ids of its named device and line. */
    named: (fields: object) =>
      Object.fromEntries(
        Object.entries(fields).map(([key, value]) => [
          key,
          value === 'theirs' ? 'theirsline00000' : /_id$/.test(key) ? pad(value) : value,
        ]),
      ),
    /** The lines of all messages of a request. */
    sendAll,
    /** Another node on the same database, on Postgres with connections of its own. */
    node: () => nodeOf(otherStore),
    at: clocked.at,
    /** The line of the only message, null while it waits, or the error. */
    send: (body: object): Promise<string | null> =>
      sendAll(body).then(
        ([line]) => line!,
        (error: { body?: { error: string } }) => error.body?.error ?? String(error),
      ),
    claim: (device: string, limit = 100) => claimMessages(store, deviceOf(device), limit, 120),
    /** A text comes in, by SIM 1 and just now unless `more` says otherwise. Answers its id. */
    async receive(device: string, from: string, more: Partial<ReceivedText> = {}) {
      const text = { from, body: 'Hi', receivedAt: Date.now(), sim: 1, ...more }
      const [id] = await receiveTexts(store, deviceOf(device), [text], config.optWords)
      return id!
    },
    /** One round of automatic answers; what went out for them, oldest first. */
    async answer() {
      await makeWorker(db, [answers], log).drain()
      const sent = await query(
        `select "to", body from sms_messages where client_ref like 'auto:%' order by created, id`,
      )
      return sent.map(([to, body]) => ({ to: String(to), body: String(body) }))
    },
    cancel: (id: string) => cancelMessage(store, permitOf(USER), id),
    /** The user lives in a time zone, with these quiet hours. */
    async liveIn(zone: string, from = '', to = '') {
      await query(
        `insert into user_settings (id, "user", time_zone, quiet_from, quiet_to, created, updated)
        values (pb_new_id(), $1, $2, $3, $4, pb_text(now()), pb_text(now()))`,
        [USER, zone, from, to],
      )
    },
    /** Everything that was before is of the day before. */
    async nextDay() {
      const earlier = `to_char(charged::date - 1, 'YYYY-MM-DD')`
      await query(`update sms_dispatch set charged = ${earlier} where charged <> ''`)
      await query(
        `update line_use set day = to_char(day::date - 1, 'YYYY-MM-DD'), month = to_char(day::date - 1, 'YYYY-MM')`,
      )
      await query(
        `update sms_dispatch set due_at = due_at - interval '1 day' where due_at is not null`,
      )
    },
    /** Texts of this day and month by line, and how many messages wait. */
    async use() {
      const used = await query(`select line, day_texts, month_texts from line_use order by line`)
      const [[waiting]] = (await query(
        `select count(*) from sms_messages where waiting_for = 'room'`,
      )) as [[number]]
      const counts = Object.fromEntries(
        used.map(([line, day, month]) => [
          String(line).replace(/0+$/, ''),
          [Number(day), Number(month)],
        ]),
      ) as Record<string, [number, number]>
      return { counts, waiting: Number(waiting) }
    },
    rows: query,
  }
}
