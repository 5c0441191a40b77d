import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { PROGRAM } from '../support/server/program-files.ts'
import { startServer, testConfig } from '../support/server/start.ts'
import { listenLocally } from '../support/services/listen.ts'

function run(
  env: Record<string, string>,
  ...words: string[]
): Promise<{ code: number; said: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const settings = { PATH, NODE_COMPILE_CACHE, DATA_DIR: temporaryFolder(), ...env }
  return new Promise((resolve) => {
    const ended = (error: Error | null, said: string) =>
      resolve({ code: Number((error as { code?: number } | null)?.code ?? 0), said })
    execFile(process.execPath, [PROGRAM, ...words], { env: settings }, ended)
  })
}

const server = await startServer()
/** Answers nothing but an hour ago. */
const stranger = createServer((_, response) => {
  response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString()).end('{}')
})
const strangePort = String((await listenLocally(stranger)).port)
const databaseUrl = (await testConfig()).databaseUrl!

test.each<[string, Record<string, string>, RegExp[]]>([
  [
    'a server that runs',
    { PORT: new URL(server.url).port, DATABASE_URL: databaseUrl },
    [
      /^ok +port +a pocketsms serves/m,
      /^ok +Postgres +Postgres \d+/m,
      /^FAULT +phones +only this computer .*\n +Set HOST=0\.0\.0\.0/m,
      /^FAULT +pushes .*admin@localhost\n +Set VAPID_SUBJECT/m,
    ],
  ],
  [
    'a foreign server at the port and address, and a wrong clock',
    {
      PORT: strangePort,
      PUBLIC_URL: `http://0.0.0.0:${strangePort}`,
      VAPID_SUBJECT: 'mailto:ann@example.com',
    },
    [
      /^ok +pushes/m,
      /^FAULT +port +another/m,
      /^FAULT +phones +something else/m,
      /^FAULT +clock .* 3[56]\d\d s behind/m,
    ],
  ],
  [
    'a container that only its computer reaches',
    { PORT: '0', DATABASE_URL: databaseUrl, HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost:8090' },
    [/^FAULT +phones +only this computer reaches .*\n +Set PUBLIC_URL to an address/m],
  ],
  [
    'a missing database and certificate',
    {
      PORT: '0',
      DATABASE_URL: 'postgres://x@127.0.0.1:1/x',
      PUBLIC_URL: `https://0.0.0.0:${strangePort}`,
    },
    [
      /^ok +port/m,
      /^FAULT +Postgres .*\n +Start the Postgres/m,
      /^FAULT +TLS +no valid certificate/m,
    ],
  ],
])('the doctor reports %s with $2', async (_, env, lines) => {
  const { code, said } = await run(env, 'doctor')
  for (const line of lines) expect(said).toMatch(line)
  expect(code).toBe(1)
})

test('without a command the program lists its commands', async () => {
  const { code, said } = await run({})
  expect([code, said]).toEqual([0, expect.stringMatching(/demo(.|\n)*serve(.|\n)*doctor/)])
})

const ofServer = server.services.config.databaseUrl!
const doctor = (...words: string[]) => run({ DATABASE_URL: ofServer }, 'doctor', ...words)

test('the doctor names stored time zones that Postgres does not know', async () => {
  const { db } = server.services.store
  const add = `insert into contacts (id, "user", phone, time_zone) values (pb_new_id(), $1, '+4915100000009', $2)`
  await db.query(add, ['nobodynobody123', 'Mars/Olympus'])
  expect((await doctor()).said).toMatch(
    /^FAULT +zones +Postgres does not know Mars\/Olympus\n +Quiet hours/m,
  )
  await db.query(`delete from contacts where time_zone = 'Mars/Olympus'`)
  expect((await doctor()).said).toMatch(/^ok +zones/m)
})

test('the doctor says whether this version knows the tables', async () => {
  const { db } = server.services.store
  expect((await doctor()).said).toMatch(/^ok +tables +of this version$/m)
  await db.query(`insert into _migrations (file) values ('9999_later.sql')`)
  expect((await doctor()).said).toMatch(
    /^FAULT +tables .*\n +The database was migrated by a newer version of pocketsms \(9999_later\.sql\)\. Install/m,
  )
  await db.query(`delete from _migrations where file = '9999_later.sql'`)
  const hash = `update _migrations set sha256 = reverse(sha256) where file = '0001_start.sql'`
  await db.query(hash)
  expect((await doctor()).said).toMatch(
    /^FAULT +tables .*\n +The database was made before 0\.3\.0 by another commit: .* 0001_start\.sql differently/m,
  )
  await db.query(hash)
})

test('the doctor names phones that get codes late', async () => {
  const { db } = server.services.store
  expect((await doctor()).said).toMatch(/^ok +Android +no phone/m)
  await db.query(
    `insert into device_batteries (device, android) values ('phone1', 36), ('phone2', 37)`,
  )
  expect((await doctor()).said).toMatch(/^FAULT +Android +1 with Android 17 .*\n +Receive codes/m)
})

test('the doctor lists national numbers beside a running server and joins them with --apply', async () => {
  const { db } = server.services.store
  await db.query(
    `with account as (
      insert into users (id, password, "tokenKey", email) values ('accountofberlin', 'none', pb_new_id(), 'a@example.com')
      returning id
    ), settings as (insert into user_settings (id, "user", country) select pb_new_id(), id, 'DE' from account)
    insert into conversations (id, "user", number) select pb_new_id(), id, '015120000010' from account`,
  )
  const shown =
    /^Account accountofberlin: 1 number, .*1 conversation.*\n {2}015120000010 -> \+4915120000010: 0 texts$/m
  expect(await doctor('--numbers')).toEqual({ code: 0, said: expect.stringMatching(shown) })
  const numbers = async () => (await db.query('select number from conversations')).rows
  expect(await numbers()).toEqual([['015120000010']])
  expect(await doctor('--numbers', '--apply')).toEqual({
    code: 0,
    said: expect.stringMatching(/^Joined 1 number\.$/m),
  })
  expect(await numbers()).toEqual([['+4915120000010']])
  const done = { code: 0, said: 'No number is stored in its national form.\n' }
  expect(await doctor('--numbers', '--apply')).toEqual(done)
})

test('the doctor explains --numbers and refuses --apply without it', async () => {
  expect((await doctor('--help')).said).toMatch(/--numbers(.|\n)*--apply/)
  expect(await doctor('--apply')).toEqual({ code: 1, said: '' })
})
