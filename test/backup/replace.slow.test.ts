import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { restoreBackup } from '../../src/backup/restore.ts'
import { writeBackup } from '../../src/backup/write.ts'
import type { Db } from '../../src/db/open.ts'
import type { RunningServer } from '../../src/server.ts'
import { type Client, withDevices } from '../support/server/server-with-devices.ts'
import { startServer } from '../support/server/start.ts'

const folder = mkdtempSync(join(tmpdir(), 'pocketsms-backup-'))
const file = join(folder, 'backup.zip')

let server: RunningServer
let db: Db
let user: Client

beforeAll(async () => {
  server = await startServer()
  db = server.services.store.db
  const fixture = await withDevices(server)
  user = await fixture.makeUser()
  await fixture.pair(user)
  await send('+4915112345678')
  await writeBackup(db, file)
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const send = (to: string) => user.call('POST', '/api/sms/send', { recipients: [to], body: 'Hello.' })
const totalOf = async () => (await user.call('GET', '/api/collections/sms_messages/records')).body.totalItems

test('what a server knows of the old tables is not used on the new ones', async () => {
  const dates = () => db.query('select created from users', [], 'dates of users')
  const several = () => Promise.all(Array.from({ length: 16 }, dates))
  await several()
  await restoreBackup(db, file, { replace: true, resume: true })
  for (const { rows } of await several()) expect(rows).toHaveLength(1)
})

test('everything is replaced while others are at work', async () => {
  await send('+4915112345679')
  expect(await totalOf()).toBe(2)
  let isOver = false
  const seen = new Set<number>()
  const sending = Promise.all(
    [1, 2, 3, 4].map(async (connection) => {
      for (let i = 0; !isOver; i++) seen.add((await send(`+49151${connection * 1_000_000 + i}`)).status)
    }),
  )
  await expect.poll(totalOf).toBeGreaterThan(20)
  const restored = await restoreBackup(db, file, { replace: true, resume: true })
  isOver = true
  await sending
  expect(restored.tables).toContainEqual({ name: 'sms_messages', rows: 1 })
  // who was cut off is told to come again
  expect([...seen].filter((status) => status !== 200 && status !== 503)).toEqual([])
  await server.services.store.reload()
  const { rows } = await db.query('select count(*) from sms_messages where "to" = $1', ['+4915112345678'])
  expect(rows).toEqual([[1]])
  expect((await send('+4915112345680')).status).toBe(200)
})
