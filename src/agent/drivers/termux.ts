import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { repeat } from '../../tools/repeat.ts'
import type { Driver, DriverEvents, OutgoingText, SendResult, Sim } from '../driver.ts'
import { driverKind } from './driver-kind.ts'
import { MAX_SIMS, readNumber, SIMS } from './options.ts'
import { receivedAt } from './received-at.ts'
import { needProgram, readJson, runProgram } from './run-program.ts'
import { STDERR } from './silence-log.ts'

const HINT = 'Install the app Termux:API, let it send and read SMS, and `pkg install termux-api`.'
const LOOK_MS = 10_000
const CALL_MS = 60_000
/** Time limit of a call that may wait for the user to grant a permission. */
const INFO_MS = 15_000
/** Texts to read per check. More are not expected between two checks. */
const NEWEST = 50

/** A text as `termux-sms-list` prints it. `received`: local time such as `2026-11-20 10:45:00`. */
interface Listed {
  readonly _id: number
  readonly number: string
  readonly body: string
  readonly received: string
}

/** The used part of the output of `termux-telephony-deviceinfo`. It describes only the default SIM. */
interface DeviceInfo {
  readonly phone_count?: number
  readonly sim_state?: string
  readonly sim_operator_name?: string
  readonly sim_country_iso?: string
}

/** Uses an Android phone by Termux:API. `memory`: file for the last text's id. `count`: SIMs; 0: detect. */
export function termuxDriver(memory: string, count = 0) {
  let sims: readonly Sim[] = []
  let last = Number.NaN
  let end = async () => {}

  /** Throws a UserError if Termux:API does not work. Texts from before the first start are ignored. */
  async function start(events: DriverEvents): Promise<void> {
    await needProgram('termux-sms-list', ['-l', '1', '-t', 'inbox'], HINT)
    sims = count > 0 ? Array.from({ length: count }, (_, i) => ({ slot: i + 1 })) : await readOnlySim()
    if (existsSync(memory)) last = Number(readFileSync(memory, 'utf8'))
    end = repeat(() => receive(events), LOOK_MS, STDERR)
  }

  /** `sim` 1 is Android's slot 0. The body is standard input, because the length of arguments is limited. */
  async function send({ to, body, sim }: OutgoingText): Promise<SendResult> {
    const slot = sim > 0 && sims.length !== 1 ? ['-s', String(sim - 1)] : []
    const { code, output, errors } = await runProgram('termux-sms-send', ['-n', to, ...slot], CALL_MS, body)
    if (code === 0 && output.trim() === '') return { outcome: 'sent' }
    return { outcome: 'failed', error: errors || output.trim() || 'Android did not take it', notSent: false }
  }

  async function receive(events: DriverEvents): Promise<void> {
    const { output } = await runProgram('termux-sms-list', ['-l', String(NEWEST), '-t', 'inbox'], CALL_MS)
    const list = readJson<Listed[]>(output)
    // Android did not answer. If this counted as an empty inbox, all texts would later be new
    if (!Array.isArray(list)) return
    const texts = list.sort((a, b) => a._id - b._id)
    const newest = texts.at(-1)?._id ?? 0
    const isFirst = Number.isNaN(last)
    for (const { _id, number, body, received } of texts)
      if (!isFirst && _id > last)
        await events.received({ from: number, body, sim: sims.length === 1 ? 1 : 0 }, receivedAt(received))
    if (!isFirst && newest <= last) return
    last = newest
    writeFileSync(memory, String(newest), { mode: 0o600 })
  }

  return {
    parallel: 1,
    get sims() {
      return sims
    },
    start,
    send,
    stop: () => end(),
  } satisfies Driver
}

/** The SIM of a phone with one slot; [] for several slots: Termux:API does not tell which have a SIM. */
async function readOnlySim(): Promise<Sim[]> {
  const { output } = await runProgram('termux-telephony-deviceinfo', [], INFO_MS)
  const info = readJson<DeviceInfo>(output)
  if (info?.phone_count !== 1 || info.sim_state !== 'ready') return []
  const { sim_operator_name: carrier, sim_country_iso: country } = info
  return [{ slot: 1, ...(carrier && { carrier }), ...(country && { country }) }]
}

export const TERMUX = driverKind({
  options: { sims: SIMS },
  platform: 'android',
  make: ({ sims }, stateFile) => termuxDriver(`${stateFile}.termux`, readNumber('sims', sims, 0, MAX_SIMS)),
})
