import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import type { Driver, IncomingText, OutgoingText } from '../../src/agent/driver.ts'
import { smppDriver } from '../../src/agent/smpp/driver.ts'
import { readSettings } from '../../src/agent/smpp/settings.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { Smsc } from './smsc.ts'

/** A carrier and an agent's driver that may be opened several times, one after the other. */
export async function setUp(more: object = {}) {
  const smsc = new Smsc()
  const port = await smsc.start()
  const file = join(temporaryFolder(), 'agent')
  const account = { host: '127.0.0.1', port, system_id: 'acme', password: 'secret' }
  const senders = ['+4930123', 'Acme']
  writeFileSync(`${file}.json`, JSON.stringify({ ...account, senders, rate: 1000, ...more }))
  const settings = readSettings(`${file}.json`, {})
  const received: IncomingText[] = []
  const instants = new Set<number>()
  const inStore = { now: 0, most: 0 }
  const delivered: string[] = []
  let driver: Driver | undefined
  const close = async () => {
    await driver?.stop()
    driver = undefined
  }
  const open = async () => {
    await close()
    driver = smppDriver(settings, file)
    await driver.start({
      received: async (text, at) => {
        inStore.most = Math.max(inStore.most, ++inStore.now)
        await nextTurn()
        inStore.now--
        received.push(text)
        instants.add(at.getTime())
      },
      delivered: async ({ id }, _, error) => void delivered.push(`${id} ${error || 'delivered'}`),
      roomGrew() {},
    })
    await expect.poll(() => driver?.parallel).toBeGreaterThan(0)
  }
  onTestFinished(async () => {
    await close()
    await smsc.stop()
  })
  const send = async (text: Partial<OutgoingText> = {}, untilMs = performance.now() + 60_000) => {
    const whole = { id: 'a', attempt: 1, to: '+4915112345678', body: 'Hello', sim: 1, ...text }
    while (await driver!.ready!(untilMs, new AbortController().signal)) {
      const result = await driver!.send(whole, untilMs)
      if (result.outcome !== 'again') return result
    }
    return 'no turn'
  }
  await open()
  return { smsc, file, inStore, settings, received, instants, delivered, open, send }
}
