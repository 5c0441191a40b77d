import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type {
  DriverEvents,
  IncomingText,
  OutgoingText,
} from '../../../../../src/programs/agent/driver-interface.ts'
import { readCarrierSettings } from '../../../../../src/programs/agent/drivers/http/carrier-account.ts'
import { makeHttpDriver } from '../../../../../src/programs/agent/drivers/http/driver.ts'
import { listenForCalls } from '../../../../../src/programs/agent/drivers/http/listen-for-calls.ts'
import { freePort } from '../../../../support/database/postgres.ts'
import { temporaryFolder } from '../../../../support/database/temporary-folder.ts'

/** Reads settings as the agent reads them, from a file. */
export function settingsOf(given: object) {
  const file = join(temporaryFolder(), 'http.json')
  writeFileSync(file, JSON.stringify(given))
  return readCarrierSettings(file, {})
}

/** An open driver with its listener. Keeps the events that the driver reports. */
export async function openDriver(
  given: object,
  options: Parameters<typeof makeHttpDriver>[2] = {},
) {
  const port = await freePort()
  const callback = `http://127.0.0.1:${port}/calls/k3v9`
  const settings = { rate: 1_000, allow_private: true, listen: port, callback, ...given }
  const { carrier, host } = settingsOf(settings)
  const delivered: string[] = []
  const received: (IncomingText & { readonly at: number })[] = []
  const faults: string[] = []
  const unknown: string[] = []
  const events: DriverEvents = {
    delivered: async ({ id, attempt }, _, error) =>
      void delivered.push(`${id}.${attempt} ${error || 'delivered'}`),
    received: async ({ from, body, sim }, at) =>
      void received.push({ from, body, sim, at: at.getTime() }),
    roomGrew() {},
    fault: (text) => void faults.push(text),
    unknown: (names) => void unknown.push(...names),
  }
  const file = join(temporaryFolder(), 'calls')
  const driver = makeHttpDriver(
    carrier,
    () => listenForCalls(carrier, { host, port }, file, events),
    options,
  )
  await driver.start(events)
  onTestFinished(() => driver.stop())
  const send = (text: Partial<OutgoingText> = {}, ms = 60_000) =>
    driver.send({ ...TEXT, ...text }, performance.now() + ms)
  return { driver, send, delivered, received, faults, unknown, callback, carrier }
}

export const TEXT: OutgoingText = {
  id: 'a1b8n5m2c0x9v3k',
  attempt: 1,
  to: '+4915112345678',
  body: ' Hello € ',
  sim: 1,
}

/** The name of the attempt of TEXT in a carrier's calls. */
export const REF = `${TEXT.id}.1`
export const CALLBACK = 'https://sms.example/calls/k3v9'
/** Addresses of presets without one. */
const URLS: Readonly<Record<string, object>> = {
  infobip: { url: 'https://x1y2z3.api.infobip.example' },
  pocketsms: { url: 'https://sms.friend.example' },
}

/** An account at the carrier of a preset. */
export const carrierOf = (preset: string, more: object = {}) => {
  const account = { user: 'acme', secret: 'sesame', senders: ['+4930123'], callback: CALLBACK }
  return settingsOf({ ...URLS[preset], preset, ...account, ...more }).carrier
}

/** A settings object for an interface that `custom` describes. */
export const custom = (url: string, more: object = {}, answer: object = {}) => ({
  preset: 'custom',
  url,
  secret: 'sesame-open-99',
  senders: ['+4930123', 'Acme'],
  custom: {
    send: {
      path: '/send?key={{secret}}',
      headers: { 'content-type': 'application/json' },
      body: {
        to: '{{to_digits}}',
        from: '{{from}}',
        text: '{{body}}',
        back: '{{callback}}',
        empty: '{{user}}',
      },
    },
    answer: { id: 'id', code: 'code', error: ['error'], ...answer },
    refusals: [
      { code: ['no_credit'], means: 'account' },
      { code: ['not_here'], means: 'unsent' },
    ],
    receipt: { ref: 'ref', status: 'status', delivered: ['ok'], failed: ['bad'], error: ['why'] },
    incoming: { when: { kind: ['text'] }, id: 'id', from: 'from', to: 'to', body: 'body' },
    ...more,
  },
})
