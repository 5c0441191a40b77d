import { afterEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../../src/log.ts'
import { checkForPeers, hasPeers, listenToOtherNodes, WAKE_CHANNEL } from '../../../src/sms/wake/wake.ts'
import { openDb } from '../../support/database/open.ts'
import { testConfig } from '../../support/server/start.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A database, and as many connections to it as a test wants. */
async function database() {
  const config = await testConfig()
  return async () => {
    const db = await openDb(config, createLogger(config))
    ends.push(() => db.close())
    return db
  }
}

test('who looks around and sees nobody is alone; before, it takes others for granted', async () => {
  const db = await (await database())()
  expect(hasPeers(db)).toBe(true)
  const others = await listenToOtherNodes(db)
  ends.push(others.stop)
  await others.heardAll()
  await checkForPeers(db, WAKE_CHANNEL)
  expect(hasPeers(db)).toBe(false)
})

describe('two nodes', () => {
  test('see each other, and notice when one is gone', async () => {
    const open = await database()
    const [here, there] = [await open(), await open()]
    ends.push((await listenToOtherNodes(here)).stop)
    const other = await listenToOtherNodes(there)
    await checkForPeers(here, WAKE_CHANNEL)
    expect(hasPeers(here)).toBe(true)
    await other.stop()
    await expect
      .poll(async () => {
        await checkForPeers(here, WAKE_CHANNEL)
        return hasPeers(here)
      })
      .toBe(false)
  })

  test('a word of another ends being alone at once', async () => {
    const open = await database()
    const [here, there] = [await open(), await open()]
    const heard = await listenToOtherNodes(here)
    ends.push(heard.stop)
    await heard.heardAll()
    await checkForPeers(here, WAKE_CHANNEL)
    expect(hasPeers(here)).toBe(false)
    await there.query('select pg_notify($1, $2)', [WAKE_CHANNEL, 'another-node'])
    await expect.poll(() => hasPeers(here)).toBe(true)
  })
})
