import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { makeBackupName } from '../../../src/engine/backup/backup-names.ts'
import { runBackupSchedule } from '../../../src/engine/backup/schedule.ts'
import { parseCron } from '../../../src/engine/settings/cron.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { startBackupServer } from '../../support/services/backups.ts'
import { startMailServer } from '../../support/services/mail-server.ts'
import { NO_S3 } from '../../support/services/s3-server.ts'

const site = await startBackupServer()

describe('a generated backup name', () => {
  const at = new Date('2026-11-21T10:56:43.796Z')
  test.each([
    ['Acme', 'acme'],
    ['My test-App', 'my_test_app'],
    ['myTestDB', 'my_test_db'],
    ['  ÄÖ grün  ', 'gr_n'],
    ['', ''],
    ['x'.repeat(80), 'x'.repeat(50)],
  ])(
    "a generated backup name contains the app name %j in PocketBase's form: %j",
    (appName, part) => {
      expect(makeBackupName(appName, false, at)).toBe(`pb_backup_${part}_20261121105643.zip`)
      expect(makeBackupName(appName, true, at)).toBe(`@auto_pb_backup_${part}_20261121105643.zip`)
    },
  )
})

test.each([
  ['0 3 * * *', '2026-11-22T03:00:00Z'],
  ['*/15 * * * *', '2026-11-21T11:00:00Z'],
  ['@hourly', '2026-11-21T11:00:00Z'],
  ['+5 * * * *', '2026-11-21T11:05:00Z'],
  // day and day of the week must both match, unlike in other crons
  ['0 0 13 * 5', '2027-08-13T00:00:00Z'],
  ['0 3 L * *', '2026-11-30T03:00:00Z'],
  ['0 3 31 * *', '2026-12-31T03:00:00Z'],
])('after 2026-11-21T10:56:43Z the schedule %s runs next at %s', (expression, next) => {
  const run = parseCron(expression).nextRun(new Date('2026-11-21T10:56:43Z'))
  expect(run).toEqual(new Date(next))
})

test('a schedule for a day that does not exist never runs', () => {
  expect(parseCron('0 0 30 2 *').nextRun(new Date('2026-11-21T10:56:43Z'))).toBeNull()
})

describe('a backup schedule', () => {
  const db = () => site.server.services.store.db
  const serve = () => {
    const { store, settings, backups } = site.server.services
    return runBackupSchedule(store, settings, backups, createLogger({ logLevel: 'silent' }))
  }
  const servedUntil = (sql: string) =>
    db().query(`update backup_state set scheduled_until = ${sql}`)
  const patch = (backups: object) => site.call('PATCH', '/api/settings', { backups })
  beforeEach(async () => {
    for (const key of await site.keys())
      await site.call('DELETE', `/api/backups/${encodeURIComponent(key)}`)
  })

  test('a backup schedule makes no backup when it is set, and one when it is due', async () => {
    expect((await patch({ cron: '0 3 * * *', cronMaxKeep: 2 })).status).toBe(200)
    await serve()
    expect(await site.keys()).toEqual([])
    const { next } = await site.status()
    expect(next).toMatch(/ 03:00:00\.000Z$/)
    expect(Date.parse(next.replace(' ', 'T'))).toBeGreaterThan(Date.now())

    // it was due while no server ran
    await servedUntil(`now() - interval '3 days'`)
    expect(Date.parse((await site.status()).next.replace(' ', 'T'))).toBeLessThan(Date.now())
    await Promise.all([serve(), serve()])
    await serve()
    const keys = await site.keys()
    expect(keys).toEqual([expect.stringMatching(/^@auto_pb_backup_pocketsms_\d{14}\.zip$/)])
    expect((await site.status()).lastBackup).toMatchObject({ key: keys[0], by: 'schedule' })
  })

  test('a backup schedule keeps only the newest of its own backups', async () => {
    await site.call('POST', '/api/backups', { name: 'mine.zip' })
    const content = await site.download('mine.zip')
    const old = [1, 2, 3].map((i) => `@auto_pb_backup_pocketsms_${i}.zip`)
    for (const [i, key] of old.entries()) {
      expect((await site.upload(key, content)).status).toBe(204)
      utimesSync(join(site.folder, key), 1_000 - i, 1_000 - i)
    }
    await servedUntil(`now() - interval '3 days'`)
    await serve()
    const keys = await site.keys()
    expect(keys).toHaveLength(3)
    expect(keys).toEqual(expect.arrayContaining(['mine.zip', '@auto_pb_backup_pocketsms_1.zip']))
  })

  test('a backup schedule reports a failure by mail and continues at its next time', async () => {
    const mail = await startMailServer()
    const smtp = { enabled: true, host: '127.0.0.1', port: mail.port }
    await site.call('PATCH', '/api/settings', { smtp, backups: { s3: NO_S3 } })
    await servedUntil(`now() - interval '3 days'`)
    await expect(serve()).rejects.toThrow()
    const told = await mail.next()
    expect([told.to, told.subject]).toEqual([
      'root@example.com',
      '[pocketsms] The scheduled backup failed',
    ])
    expect(told.text).toMatch(/ECONNREFUSED/)
    await mail.stop()
    const { lastFailure, next } = await site.status()
    const message = expect.stringMatching(/ECONNREFUSED/)
    expect(lastFailure).toMatchObject({ action: 'backup', by: 'schedule', message })
    expect(Date.parse(next.replace(' ', 'T'))).toBeGreaterThan(Date.now())
    const off = { enabled: false }
    await site.call('PATCH', '/api/settings', { smtp: off, backups: { s3: off } })
  })

  test('a backup schedule waits for another job and makes up for the missed time', async () => {
    await servedUntil(`now() - interval '3 days'`)
    const held = `running = '{"action":"backup","key":"x.zip","by":"x","node":"x"}', lease = gen_random_uuid()`
    await db().query(`update backup_state set ${held}, lease_until = now() + interval '1 minute'`)
    await serve()
    expect(await site.keys()).toEqual([])
    await db().query('update backup_state set running = null, lease = null, lease_until = null')
    await serve()
    expect(await site.keys()).toHaveLength(1)
  })

  test('a backup schedule ends when it is cleared', async () => {
    await patch({ cron: '' })
    await servedUntil(`now() - interval '3 days'`)
    await serve()
    expect(await site.keys()).toEqual([])
    expect((await site.status()).next).toBe('')
  })
})
