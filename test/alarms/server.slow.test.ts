import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { checkSilentDevices } from '../../src/alarms/check-silent-devices.ts'
import { upsertSuperuser } from '../../src/auth/superusers/superusers.ts'
import { openStore } from '../../src/collections/catalog/catalog-store.ts'
import type { Db } from '../../src/db/open.ts'
import { migrate } from '../../src/db/schema/migrate.ts'
import { createLogger } from '../../src/log.ts'
import { start } from '../../src/server.ts'
import { SettingsStore } from '../../src/settings/settings-store.ts'
import {
  type Environment,
  emptyDatabase,
  removeFolders,
  withDatabase,
} from '../support/database/empty-databases.ts'
import { freePort } from '../support/database/postgres.ts'
import { makeDevice, makeUser } from '../support/database/queue.ts'
import { type RunningProgram, serve } from '../support/server/program.ts'
import { client } from '../support/server/server-with-devices.ts'
import { SUPERUSER, startServer, testConfig } from '../support/server/start.ts'
import { type MailServer, startMailServer } from '../support/services/mail-server.ts'

// Whole servers, on a database that outlives them.

const ALARM_MINUTES = 10
const JOB = 'deviceAlarms'
const MINUTE_PASSED = `update device_watch set looked_at = now() - interval '1 minute'`

let place: Environment
let mail: MailServer
beforeEach(async () => {
  place = await emptyDatabase()
  mail = await startMailServer()
  await withDatabase(place, prepare)
})
afterEach(() => mail.stop())
afterAll(removeFolders)

/** A superuser, the mail server, and a device that was seen an hour ago. */
async function prepare(db: Db): Promise<void> {
  await migrate(db)
  const store = await openStore(db)
  const settings = await SettingsStore.open(db)
  await settings.save({ smtp: { enabled: true, host: '127.0.0.1', port: mail.port } })
  await upsertSuperuser(store, SUPERUSER.email, SUPERUSER.password)
  const user = await makeUser(store)
  await db.query('update users set verified = true where id = $1', [user])
  await makeDevice(store, user, { last_seen: `pb_text(now() - interval '1 hour')` })
  await settings.close()
  await store.close()
}

/** An hour of looking passes, and the mail is written. */
async function lookTwice(db: Db): Promise<void> {
  await db.query(
    `insert into device_watch (reachable_since) values (now() - interval '1 hour')
     on conflict (is_only) do update set reachable_since = excluded.reachable_since`,
  )
  for (let i = 0; i < 2; i++) {
    await db.query(MINUTE_PASSED)
    await db.query(`update device_silences set changed_at = changed_at - interval '1 minute'`)
    await checkSilentDevices(db, ALARM_MINUTES)
  }
}

async function superuserAt(url: string) {
  const path = '/api/collections/_superusers/auth-with-password'
  const { body } = await client(url, '', '').call('POST', path, {
    identity: SUPERUSER.email,
    password: SUPERUSER.password,
  })
  return client(url, body.record.id, body.token)
}

const env = () => ({ ...place, DEVICE_ALARM_MINUTES: String(ALARM_MINUTES) })

async function serveHere(): Promise<RunningProgram> {
  const port = await freePort()
  return serve({ ...env(), HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'warn' })
}

const runJob = async (url: string) =>
  expect((await (await superuserAt(url)).call('POST', `/api/crons/${JOB}`)).status).toBe(204)

test('nobody is told by a server that was not asked to', async () => {
  const server = await startServer()
  expect(server.services.jobs.filter(({ id }) => id === JOB)).toEqual([])
  await server.stop()
})

test('a server that starts beside no other holds nobody silent for what was before; then its job tells', async () => {
  await withDatabase(place, (db) =>
    db.query(
      `insert into device_watch values (true, now() - interval '1 hour', now() - interval '1 minute')`,
    ),
  )
  const config = await testConfig(env())
  const server = await start(config, createLogger(config))
  try {
    const { db } = server.services.store
    const isNew = async () => {
      const { rows } = await db.query(
        `select reachable_since > now() - interval '30 minutes' from device_watch`,
      )
      return rows[0]![0]
    }
    await expect.poll(isNew).toBe(true)
    await db.query(MINUTE_PASSED)
    await server.services.jobs.find(({ id }) => id === JOB)!.run()
    expect((await db.query('select from device_silences')).rows).toEqual([])
    await lookTwice(db)
    await runJob(server.url)
    expect((await mail.next()).subject).toBe('phone is silent')
  } finally {
    await server.stop()
  }
})

test.each<[when: string, at: MailServer['silentAt'], copies: number]>([
  ['before its mail server took the mail: the next one sends it', 'MAIL', 1],
  ['when it had: the next one sends it again, and it is the same mail', 'END', 2],
])('a server is killed %s', async (_, at, copies) => {
  await withDatabase(place, lookTwice)
  mail.silentAt = at
  const first = await serveHere()
  await runJob(first.url)
  await expect.poll(() => mail.keepsWaiting).toBe(true)
  process.kill(first.pid, 'SIGKILL')
  await expect.poll(first.hasEnded).toBe(true)
  mail.silentAt = undefined
  await withDatabase(place, async (db) => {
    const { rows } = await db.query('select runs = 1, due_at > now() from _jobs')
    expect(rows).toEqual([[true, true]])
    await db.query('update _jobs set due_at = now()')
  })
  const second = await serveHere()
  try {
    await runJob(second.url)
    await expect.poll(() => mail.mails.length).toBe(copies)
  } finally {
    await second.stop()
  }
  expect(new Set(mail.mails.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1])).size).toBe(1)
  const { rows } = await withDatabase(place, (db) => db.query('select from _jobs'))
  expect(rows).toEqual([])
})
