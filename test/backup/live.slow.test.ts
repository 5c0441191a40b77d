import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restoreBackup } from '../../src/backup/restore.ts'
import { writeBackup } from '../../src/backup/write.ts'
import { type Db, openFolder } from '../../src/db/open.ts'
import { copyFolder } from '../../src/db/pglite/folder-copy.ts'
import { createLogger } from '../../src/log.ts'
import type { RunningServer } from '../../src/server.ts'
import {
  type Environment,
  emptyDatabase,
  removeFolders,
  withDatabase,
} from '../support/database/empty-databases.ts'
import { type Client, withDevices } from '../support/server/server-with-devices.ts'
import { startServer } from '../support/server/start.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const KIND = process.env.TEST_BACKEND === 'postgres' ? 'postgres' : 'pglite'
/** Between two sends of a connection, so that the backup gets on in the same process. */
const silent = createLogger({ logLevel: 'silent' })
const PAUSE_MS = 20
const folder = mkdtempSync(join(tmpdir(), 'pocketsms-backup-'))

let place: Environment
let server: RunningServer
let db: Db
let user: Client

beforeAll(async () => {
  place = await emptyDatabase(KIND)
  server = await startServer({ env: { ...place, SMS_MONTHLY_QUOTA: '1000000' } })
  db = server.services.store.db
  const fixture = await withDevices(server)
  user = await fixture.makeUser()
  await fixture.pair(user)
})
afterAll(async () => {
  await server.stop()
  removeFolders()
  rmSync(folder, { recursive: true, force: true })
})

const start = (args: readonly string[], on: Environment = place) =>
  spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...on }, cwd: folder })

/** Runs a command to its end. The server that it asks is in this process. */
async function run(args: readonly string[], on?: Environment) {
  const child = start(args, on)
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
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

const restoredFigures = async (file: string) => {
  const to = await emptyDatabase('pglite')
  return withDatabase(to, async (target) => {
    await restoreBackup(target, file, { resume: true })
    // countMessages counts anew into sms_totals
    const [messages, waiting, used] = (await target.query(AGREE)).rows[0]!.map(Number)
    return [messages, waiting, used]
  })
}

test('a backup under sends holds one moment', async () => {
  const stop = keepSending()
  const acceptedBefore = async () => Number((await db.query('select count(*) from sms_messages')).rows[0]![0])
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

test('the command writes, checks, and overwrites nothing, while the server runs', async () => {
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
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('.zip is there already.')])
  const both = await run(['backup', '--to', 'a.zip', '--check', file!])
  expect(both.stderr).toContain('--check stands alone: leave out --to.')
  expect(leftBehind()).toEqual([])
})

test('the command restores into an empty database, and refuses another', async () => {
  const file = join(folder, 'to-restore.zip')
  await writeBackup(db, file)
  const to = await emptyDatabase(KIND)
  const restore = (path: string, on: Environment) => run(['restore', path], on)
  writeFileSync(join(folder, 'cut.zip'), readFileSync(file).subarray(0, 1000))
  const cut = await restore(join(folder, 'cut.zip'), to)
  expect([cut.status, cut.stderr]).toEqual([
    1,
    expect.stringContaining('The file is not a backup of pocketsms'),
  ])
  expect(existsSync(to.DATA_DIR)).toBe(false)
  const { status, stdout } = await restore(file, to)
  expect(stdout).toMatch(/^Restored .*to-restore\.zip, made .* by pocketsms .*: \d+ tables with \d+ rows\.$/m)
  expect(stdout).toMatch(/^\d+ unfinished messages ended as failed/m)
  expect(status).toBe(0)
  expect((await restore(file, to)).stderr).toContain('The database is not empty')
})

/** What a backup leaves in the data folder, or in that of the backups, while it is made. */
const leftBehind = () => [
  ...readdirSync(folder).filter((name) => name.includes('partial')),
  ...(KIND === 'pglite' ? readdirSync(place.DATA_DIR).filter((name) => name.startsWith('backup-copy')) : []),
]

test.each(['SIGTERM', 'SIGKILL'] as const)('a command that gets a %s leaves no backup', async (signal) => {
  const child = start(['backup', '--to', 'killed.zip'])
  await new Promise((resolve) => child.stderr.once('data', resolve))
  child.kill(signal)
  await new Promise((resolve) => child.once('exit', resolve))
  expect(readdirSync(folder)).not.toContain('killed.zip')
  // of a killed process the next backup removes what is old, the server its copy
  for (const name of readdirSync(folder))
    if (signal === 'SIGKILL' && name.includes('partial')) rmSync(join(folder, name))
  await expect.poll(leftBehind).toEqual([])
})

describe.runIf(KIND === 'pglite')('a copy of the folder', () => {
  test('is refused when its log is cut', async () => {
    const copy = await copyFolder(db, place.DATA_DIR)
    const label = readFileSync(join(copy.folder, 'pglite/backup_label'), 'utf8')
    const [, file] = /\(file ([0-9A-F]{24})\)/.exec(label)!
    const [, position] = /CHECKPOINT LOCATION: [0-9A-F]+\/([0-9A-F]+)/.exec(label)!
    const log = join(copy.folder, 'pglite/pg_wal', file!)
    const bytes = readFileSync(log)
    // nothing after the record of the checkpoint, whose first word is its length
    const start = Number.parseInt(position!, 16) % bytes.length
    writeFileSync(log, bytes.fill(0, start + bytes.readUInt32LE(start)))
    await expect(openFolder(copy.folder, silent, true)).rejects.toThrow('does not start')
    await copy.remove()
  })

  test('is given to nobody without the token', async () => {
    const { port } = JSON.parse(readFileSync(join(place.DATA_DIR, 'backup.json'), 'utf8'))
    for (const token of ['x'.repeat(64), '', 'x'.repeat(100_000)]) {
      const socket = connect(port, '127.0.0.1')
      let heard = ''
      socket.on('data', (bytes) => {
        heard += bytes
      })
      socket.on('error', () => {})
      socket.end(token)
      await new Promise((resolve) => socket.once('close', resolve))
      expect(heard).toBe('')
    }
    expect(leftBehind()).toEqual([])
  })

  test('several at a time are made one after the other', async () => {
    const copies = await Promise.all([1, 2, 3].map(() => copyFolder(db, place.DATA_DIR)))
    for (const copy of copies) {
      const opened = await openFolder(copy.folder, silent, true)
      expect((await opened.query('select count(*) from users')).rows).toEqual([[1]])
      await opened.close()
      await copy.remove()
    }
  })

  test('that was left behind is removed at the next start', async () => {
    const other = await emptyDatabase('pglite')
    await withDatabase(other, async () => {})
    mkdirSync(join(other.DATA_DIR, 'backup-copy-xyz'))
    await withDatabase(other, async () => {})
    expect(existsSync(join(other.DATA_DIR, 'backup-copy-xyz'))).toBe(false)
  })
})
