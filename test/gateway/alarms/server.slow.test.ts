import { createLogger } from '../../../src/platform/log.ts'
import { openCatalogStore, openDb, runServer } from '../../support/database/open.ts'
import { makeDevice, makeUser } from '../../support/database/queue.ts'
import { startServer, testConfig } from '../../support/server/start.ts'
import { startMailServer } from '../../support/services/mail-server.ts'

const JOB = 'deviceAlarms'

test('a server without DEVICE_ALARM_MINUTES has no alarm job', async () => {
  const server = await startServer()
  onTestFinished(server.stop)
  expect(server.services.jobs.filter(({ id }) => id === JOB)).toEqual([])
})

test('a lone server ignores silence from before its start, then its job sends alarms', async () => {
  const config = await testConfig({ DEVICE_ALARM_MINUTES: '10' }, 'prepared')
  const db = await openDb(config, createLogger(config))
  const store = await openCatalogStore(db)
  const mail = await startMailServer()
  const user = await makeUser(store)
  await db.query('update users set verified = true where id = $1', [user])
  await makeDevice(store, user, { last_seen: `pb_text(now() - interval '1 hour')` })
  await db.query(
    `insert into device_watch values (true, now() - interval '1 hour', now() - interval '1 minute')`,
  )
  const server = await runServer(config)
  onTestFinished(async () => {
    await Promise.all([server.stop(), mail.stop(), store.close()])
    await db.close()
  })
  await server.services.settings.save({
    smtp: { enabled: true, host: '127.0.0.1', port: mail.port },
  })
  const look = async () => {
    await db.query(`update device_watch set looked_at = now() - interval '1 minute'`)
    await db.query(`update device_silences set changed_at = changed_at - interval '1 minute'`)
    await server.services.jobs.find(({ id }) => id === JOB)!.run()
  }
  const isNew = `select reachable_since > now() - interval '30 minutes' from device_watch`
  await expect.poll(async () => (await db.query(isNew)).rows[0]![0]).toBe(true)
  await look()
  expect((await db.query('select from device_silences')).rows).toEqual([])
  await db.query(`update device_watch set reachable_since = now() - interval '1 hour'`)
  await look()
  await look()
  expect((await mail.next()).subject).toBe('phone is silent')
})
