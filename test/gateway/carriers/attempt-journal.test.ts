import { openAttemptJournal } from '../../../src/gateway/carriers/carrier-attempt-journal.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openDb } from '../../support/database/open.ts'
import { testConfig } from '../../support/server/start.ts'
import { makeBreakableProxy } from '../../support/services/breakable-proxy.ts'

// No queue has the texts of these attempts, so none may leave: `withdrawn`.

/** A database behind a cable that loses the next answer after `lose`. */
async function openCable() {
  const config = await testConfig({}, 'prepared')
  let loses = false
  const cable = await makeBreakableProxy(config.databaseUrl!, () => {
    const isLost = loses
    loses = false
    return isLost
  })
  await cable.connect()
  onTestFinished(() => cable.disconnect())
  const db = await openDb({ ...config, databaseUrl: cable.url }, createLogger(config))
  const lose = () => {
    loses = true
  }
  return { db, cable, lose }
}

test('a text whose attempt was stored without an answer is sent by the process that stored it', async () => {
  const { db, lose } = await openCable()
  const [one, other] = [await openAttemptJournal(db, 'd1'), await openAttemptJournal(db, 'd1')]
  lose()
  expect(await one.begin('m1', 1)).toBe('unstored')
  const stored = await db.query('select count(*) from carrier_attempts where message = $1', ['m1'])
  expect(Number(stored.rows[0]![0])).toBe(1)
  expect(await other.begin('m1', 1)).toBe('over')
  expect(await one.begin('m1', 1)).toBe('withdrawn')
})

test('an attempt that could not be undone is begun again by the process that began it', async () => {
  const { db, cable } = await openCable()
  const [one, other] = [await openAttemptJournal(db, 'd1'), await openAttemptJournal(db, 'd1')]
  expect(await one.begin('m1', 1)).toBe('withdrawn')
  await cable.disconnect()
  await one.undo('m1', 1)
  await cable.connect()
  expect(await other.begin('m1', 1)).toBe('over')
  expect(await one.begin('m1', 1)).toBe('withdrawn')
})

test('a deletion that the database carries out late does not remove a later begin', async () => {
  const { db, cable } = await openCable()
  const [one, other] = [await openAttemptJournal(db, 'd1'), await openAttemptJournal(db, 'd1')]
  await one.begin('m1', 1)
  const { rows } = await db.query('select begun_at from carrier_attempts where message = $1', [
    'm1',
  ])
  await cable.disconnect()
  await one.undo('m1', 1)
  await cable.connect()
  expect(await one.begin('m1', 1)).toBe('withdrawn')
  // what the database got before the cable was cut
  await db.query('delete from carrier_attempts where message = $1 and begun_at = $2', [
    'm1',
    rows[0]![0],
  ])
  expect(await other.begin('m1', 1)).toBe('over')
})
