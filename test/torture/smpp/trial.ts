import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../support/server/server-with-devices.ts'
import type { Outcome } from '../scenario.ts'
import { type Site, until } from '../site.ts'
import { hasReceived, judgeSmpp } from './smpp-judge.ts'
import type { Smsc } from './smscs.ts'
import { Wire } from './wire.ts'

/** Recipients of a send, and time between two sends. */
const BATCH = 50
const PAUSE_MS = 250
const OFFERED = (BATCH * 1000) / PAUSE_MS
/** How long after the last send the last answer may come. */
const LAG_SECONDS = 3
/** Sends of a round of faults. */
export const BATCHES = 10
const PATIENCE_SECONDS = 120
/** Longer than the pause before the sixth attempt of a text. */
const DRAIN_SECONDS = 600
const THROTTLED = 0.05
/** Of 15 sends three are long texts: GSM 03.38 with its extension, Latin-1, UCS-2. */
const EVERY = 15
const LONG = [
  'Grüße aus Köln: 5 € für {Ärger} [und] ~mehr~ ',
  'Às três, não ¼ nem ½: «já» ',
  'Привет, мир: 你好 😀 ',
]
const FIRST_NUMBER = 100_000_000
let sends = 0

/**
 * A new account whose one device is an agent at `smsc`. With `rounds`, both are killed and links are lost
 * while texts go out; without, 200 texts a second go out.
 */
export async function tryDriver(site: Site, smsc: Smsc, rounds: number, seconds: number): Promise<Outcome> {
  const settings = join(site.folder, `smpp-${smsc.port}.json`)
  const wire = await Wire.open(smsc.port)
  const user = await site.makeUser()
  const phone = await site.addPhone(user, site.url, ['--driver', 'smpp', '--settings', settings])
  const kills: number[] = []
  const startAgent = (turn: number) => {
    writeFileSync(settings, JSON.stringify(settingsOf(wire, smsc, turn)))
    phone.start()
  }
  const strike = async (round: number) => {
    await someOpen(wire)
    kills.push(performance.now())
    await phone.kill()
    startAgent(round)
    for (const fault of [() => smsc.kill(), () => wire.cut(), () => wire.silence()]) {
      await someOpen(wire)
      fault()
      await sleep(PAUSE_MS)
    }
  }
  try {
    startAgent(0)
    await until('the agent connects', async () => wire.isUsed, PATIENCE_SECONDS)
    if (rounds > 0 && !smsc.notes) wire.throttled = THROTTLED
    for (let round = 1; round <= rounds; round++) await Promise.all([offer(user, BATCHES), strike(round)])
    if (rounds > 0) await offer(user, BATCHES) // only the SMSC misbehaves
    const begin = performance.now()
    if (rounds === 0) await offer(user, (seconds * 1000) / PAUSE_MS)
    await site.drain(DRAIN_SECONDS)
    await until('all has landed', () => hasLanded(site, user, smsc), PATIENCE_SECONDS).catch(() => {})
    await phone.stop()
    const { faults, figures } = await judgeSmpp(site, user, smsc, wire.submits, kills)
    if (rounds > 0) return { faults, figures }
    const took = (Math.max(...wire.submits.map(({ answeredAt = 0 }) => answeredAt)) - begin) / 1000
    const figure = `${((OFFERED * seconds) / took).toFixed(0)} texts a second for ${took.toFixed(1)} s`
    return {
      faults: took > seconds + LAG_SECONDS ? [...faults, figure] : faults,
      figures: `${figure}; ${figures}`,
    }
  } finally {
    await phone.kill()
    smsc.stop()
    wire.close()
  }
}

/** Others each time, as operators change them. */
const settingsOf = (wire: Wire, smsc: Smsc, turn: number) => ({
  host: '127.0.0.1',
  port: wire.port,
  system_id: 'pocketsms',
  password: 'secret',
  senders: ['+4915100000001'],
  rate: OFFERED * 2,
  window: 20,
  sessions: 1 + (turn % 2),
  // drive_smpp knows no transceiver
  bind: smsc.notes && turn % 4 < 2 ? 'transceiver' : 'separate',
  alphabet: ['gsm', 'latin1'][turn % 2],
  long_texts: ['udh', 'sar', 'payload'][turn % 3],
  answer_seconds: 3,
  enquire_link_seconds: 1,
  answer_ids: 'hex',
  receipt_ids: 'decimal',
  country_code: '49',
})

/** Waits until requests are open, or all is sent. */
const someOpen = (wire: Wire) => until('requests are open', async () => wire.open > 0, 10).catch(() => {})

async function offer(user: Client, batches: number): Promise<void> {
  const begin = performance.now()
  for (let i = 1; i <= batches; i++, sends++) {
    const first = FIRST_NUMBER + sends * BATCH
    const long = LONG[sends % EVERY]
    const { status, body } = await user.call('POST', '/api/sms/send', {
      recipients: Array.from({ length: BATCH }, (_, n) => `+49${first + n}`),
      body: long ? `${sends} ${long.repeat(8)}`.trim() : `Text ${sends}`,
      guarantee: sends % 2 === 0 ? 'at_most_once' : 'at_least_once',
    })
    if (status !== 200) throw new Error(JSON.stringify(body))
    await sleep(Math.max(0, begin + i * PAUSE_MS - performance.now()))
  }
}

/** Whether all receipts and all texts are there that the SMSC sent. */
async function hasLanded(site: Site, user: Client, smsc: Smsc): Promise<boolean> {
  const sent = `select count(*) from sms_messages where "user" = $1 and status = 'sent'`
  const isDelivered = !smsc.notes || (await site.value(sent, [user.id])) === 0
  return isDelivered && (await hasReceived(site, user, smsc))
}
