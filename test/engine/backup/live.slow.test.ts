import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkBackup } from '../../../src/engine/backup/read-archive.ts'
import { restoreBackup } from '../../../src/engine/backup/restore.ts'
import { writeBackup } from '../../../src/engine/backup/write.ts'
import { afterRestore } from '../../../src/main/after-restore.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { briefFaults } from '../../support/database/brief.ts'
import {
  type Environment,
  emptyDatabase,
  withDatabase,
} from '../../support/database/empty-databases.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { CLI } from '../../support/server/program-files.ts'
import { withDevices } from '../../support/server/server-with-devices.ts'
import { startServer } from '../../support/server/start.ts'

/** Between two sends of a connection, so that the backup gets on in the same process. */
const PAUSE_MS = 20
const folder = temporaryFolder()

const place: Environment = await emptyDatabase()
const server = await startServer({ env: { ...place, SMS_MONTHLY_QUOTA: '1000000' } })
const db: Db = server.services.store.db
const fixture = await withDevices(server)
const user = await fixture.makeUser()
await fixture.pair(user)

const spawnCommand = (args: readonly string[], on: Environment) =>
  spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...on }, cwd: folder })

/** Runs a command to its end. The server that it asks is in this process. */
async function run(args: readonly string[], on = place) {
  const child = spawnCommand(args, on)
  const outputs = [text(child.stdout), text(child.stderr), once(child, 'exit')] as const
  const [stdout, stderr, [status]] = await Promise.all(outputs)
  return { stdout, stderr, status: status as number }
}

/** Sends until the returned function is called, over some connections; it answers how many were accepted. */
function keepSending(): () => Promise<number> {
  let isOver = false
  let accepted = 0
  const one = async (connection: number) => {
    for (let i = 0; !isOver; i++) {
      const recipients = [`+49151${String(connection * 1_000_000 + i).padStart(8, '0')}`]
      const { status } = await user.call('POST', '/api/sms/send', { recipients, body: 'Hello.' })
      expect(status).toBe(200)
      accepted++
      await sleep(PAUSE_MS)
    }
  }
  const all = Promise.all([0, 1, 2, 3].map(one))
  return async () => {
    isOver = true
    await all
    return accepted
  }
}

/** Figures that agree in every moment of an installation on which nothing is done but sending. */
const AGREE = `
select (select count(*) from sms_messages), (select count(*) from sms_dispatch),
  (select sum(used) from sms_usage), (select sum(messages) from sms_turns)`

const restoredFigures = async (file: string) =>
  withDatabase(await emptyDatabase(), async (target) => {
    await restoreBackup(target, file, { afterRestore, resume: true })
    // countMessages counts anew into sms_totals
    const [messages, waiting, used] = (await target.query(AGREE)).rows[0]!.map(Number)
    return [messages, waiting, used]
  })

test('a restored database gives the same backup', async () => {
  const file = join(folder, 'all.zip')
  const written = await writeBackup(db, file)
  expect(written.tables.length).toBeGreaterThan(20)
  expect(await checkBackup(file)).toEqual(written)
  await withDatabase(await emptyDatabase(), async (target) => {
    const restored = await restoreBackup(target, file, { afterRestore })
    expect(restored).toMatchObject({ ended: 0, foreign: [] })
    expect(await briefFaults(target)).toEqual([])
    expect((await writeBackup(target, `${file}.again`)).tables).toEqual(restored.tables)
  })
})

test('a backup made during sends is a consistent snapshot', async () => {
  const stop = keepSending()
  const acceptedBefore = async () =>
    Number((await db.query('select count(*) from sms_messages')).rows[0]![0])
  await expect.poll(acceptedBefore).toBeGreaterThan(50)
  const before = await acceptedBefore()
  const file = join(folder, 'under-sends.zip')
  await writeBackup(db, file)
  const after = await acceptedBefore()
  await stop()
  const [messages, ...others] = await restoredFigures(file)
  expect(others).toEqual([messages, messages])
  expect(messages).toBeGreaterThanOrEqual(before)
  expect(messages).toBeLessThanOrEqual(after)
})

test('the backup command writes and checks a file, and overwrites no file, while the server runs', async () => {
  mkdirSync(join(folder, 'nightly'))
  const made = await run(['backup', '--to', 'nightly'])
  expect(made.stderr).toMatch(/^sms_messages (\d+)\/\1$/m)
  const [, file, tables, rows, sha256] =
    /(nightly\/pocketsms-\d{8}-\d{6}\.zip)\.\n\d+ bytes, (\d+) tables with (\d+) rows\.\nsha256 ([0-9a-f]{64})$/m.exec(
      made.stdout,
    ) ?? []
  expect(made.status).toBe(0)
  const checked = await run(['backup', '--check', file!])
  expect(checked.stdout).toContain(`${tables} tables with ${rows} rows.\nsha256 ${sha256}`)
  const again = await run(['backup', '--to', file!])
  expect([again.status, again.stderr]).toEqual([
    1,
    expect.stringContaining('.zip is there already.'),
  ])
  const both = await run(['backup', '--to', 'a.zip', '--check', file!])
  expect(both.stderr).toContain('Use --check without --to.')
  expect(leftBehind()).toEqual([])
})

test('the restore command fills an empty database and refuses any other', async () => {
  const file = join(folder, 'to-restore.zip')
  await writeBackup(db, file)
  const to = await emptyDatabase()
  const restore = (path: string) => run(['restore', path], to)
  writeFileSync(join(folder, 'cut.zip'), readFileSync(file).subarray(0, 1000))
  const cut = await restore(join(folder, 'cut.zip'))
  expect(cut).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is not a backup of pocketsms'),
  })
  const { status, stdout } = await restore(file)
  expect(stdout).toMatch(
    /^Restored .*to-restore\.zip, made .* by pocketsms .*: \d+ tables with \d+ rows\.$/m,
  )
  expect(stdout).toMatch(/^\d+ unfinished messages ended as failed/m)
  expect(status).toBe(0)
  expect((await restore(file)).stderr).toContain('The database is not empty')
})

/** What a backup leaves in its folder while it is made. */
const leftBehind = () => readdirSync(folder).filter((name) => name.includes('partial'))

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a backup command that gets %s leaves no file',
  async (signal) => {
    const child = spawnCommand(['backup', '--to', 'killed.zip'], place)
    await new Promise((resolve) => child.stderr.once('data', resolve))
    child.kill(signal)
    await new Promise((resolve) => child.once('exit', resolve))
    expect(readdirSync(folder)).not.toContain('killed.zip')
    // of a killed process the next backup removes what is old
    for (const name of readdirSync(folder))
      if (signal === 'SIGKILL' && name.includes('partial')) rmSync(join(folder, name))
    await expect.poll(leftBehind).toEqual([])
  },
)
