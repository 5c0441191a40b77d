import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { emptyDatabase } from '../support/database/empty-databases.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { serve, startProgram } from '../support/server/program.ts'
import { PROGRAM } from '../support/server/program-files.ts'
import { request } from '../support/server/request.ts'
import { signIn } from '../support/server/server-with-devices.ts'
import { SUPERUSER, startServer } from '../support/server/start.ts'
import { until } from '../support/until.ts'

// A server that is killed after an audited action, while its log cannot be written.

const place = await emptyDatabase()
const first = await startServer({ env: place })
await first.stop()
const env = { ...place, HOST: '127.0.0.1', PORT: String(await freePort()), LOG_LEVEL: 'info' }

/** All that a pipe holds. */
function readPipe(pipe: number): string {
  let text = ''
  for (const piece = Buffer.alloc(65_536); ; ) {
    try {
      text += piece.toString('utf8', 0, readSync(pipe, piece))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return text
      throw error
    }
  }
}

const db = new pg.Client(place.DATABASE_URL)
await db.connect()
afterAll(() => db.end())

const loadNumbered = async () =>
  (await db.query('select entry from _audit_numbers')).rows.map(({ entry }) => entry as string)

/** Whether a transaction of the server waits for something other than the database. */
const isWaiting = async () =>
  (
    await db.query(
      `select from pg_stat_activity where datname = current_database()
       and state = 'idle in transaction' and state_change < now() - interval '100 ms'`,
    )
  ).rowCount

test('no audit entry has a number before its line is written, and a killed server writes the line later', async () => {
  const fifo = join(temporaryFolder(), 'log')
  execFileSync('mkfifo', [fifo])
  const pipe = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(pipe))
  const command = ['-c', `exec "$0" "$@" >${fifo}`, process.execPath, PROGRAM, 'serve']
  const url = `http://127.0.0.1:${env.PORT}`
  const stuck = await startProgram('sh', command, env, url, '/api/health')
  readPipe(pipe)
  for (let i = 0; i < 50; i++) await request(url, 'GET', `/${'x'.repeat(3_000)}`)
  const root = await signIn(url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  expect((await root.call('POST', '/api/crons/auditEntries')).status).toBe(204)
  await until(
    'numbers or their transaction',
    async () => (await isWaiting()) || (await loadNumbered())[0],
  )
  process.kill(stuck.pid, 'SIGKILL')
  await stuck.stop()
  const written = readPipe(pipe)
  for (const entry of await loadNumbered()) expect(written).toContain(entry)

  const next = await serve(env)
  const again = await signIn(url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  expect((await again.call('POST', '/api/crons/auditEntries')).status).toBe(204)
  const lines = () =>
    next
      .output()
      .split('\n')
      .filter((line) => line.includes('"audit":true'))
  await expect.poll(() => lines().length).toBeGreaterThanOrEqual(2)
  for (const entry of await loadNumbered()) expect(lines().join()).toContain(entry)
  await next.stop()
})
