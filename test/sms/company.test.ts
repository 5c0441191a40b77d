import { afterEach, describe, expect, test } from 'vitest'
import { openDb } from '../../src/db/open.ts'
import { createLogger } from '../../src/log.ts'
import { isAccompanied, lookAround } from '../../src/sms/company.ts'
import { hearOtherNodes, WAKE_CHANNEL } from '../../src/sms/wake.ts'
import { testConfig } from '../support/start.ts'

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
  expect(isAccompanied(db)).toBe(true)
  const others = await hearOtherNodes(db)
  ends.push(others.stop)
  await others.heardAll()
  await lookAround(db, WAKE_CHANNEL)
  expect(isAccompanied(db)).toBe(false)
})

describe.skipIf(process.env.TEST_BACKEND !== 'postgres')('two nodes', () => {
  test('see each other, and notice when one is gone', async () => {
    const open = await database()
    const [here, there] = [await open(), await open()]
    ends.push((await hearOtherNodes(here)).stop)
    const other = await hearOtherNodes(there)
    await lookAround(here, WAKE_CHANNEL)
    expect(isAccompanied(here)).toBe(true)
    await other.stop()
    await expect
      .poll(async () => {
        await lookAround(here, WAKE_CHANNEL)
        return isAccompanied(here)
      })
      .toBe(false)
  })

  test('a word of another ends being alone at once', async () => {
    const open = await database()
    const [here, there] = [await open(), await open()]
    const heard = await hearOtherNodes(here)
    ends.push(heard.stop)
    await heard.heardAll()
    await lookAround(here, WAKE_CHANNEL)
    expect(isAccompanied(here)).toBe(false)
    await there.query('select pg_notify($1, $2)', [WAKE_CHANNEL, 'another-node'])
    await expect.poll(() => isAccompanied(here)).toBe(true)
  })
})
