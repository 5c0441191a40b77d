import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_SIMS } from '../../../portable/max-sims.ts'
import type { DriverEvents, IncomingText, OutgoingText, SendResult } from '../driver-interface.ts'
import { defineDriverKind, type Say } from './driver-kind.ts'
import { makeNumberOption, readNumberOption, SIMS } from './options.ts'

const WELL_BEHAVED = {
  /** Milliseconds to send a message. `deliveryMs`: from then until its delivery report. */
  lagMs: 200,
  deliveryMs: 500,
  /** Share of messages (0 to 1) that fail. `refuse`: are not sent. `lose`: lose their delivery report. */
  fail: 0,
  refuse: 0,
  lose: 0,
  /** Kills the agent's process after this many sent messages, before it reports the last one. 0: never. */
  dieAfter: 0,
  /** Seconds by which the phone's clock is ahead. */
  clockOffset: 0,
  /** File for a JSON line per sent message; '' for none. */
  sentFile: '',
  /** Number of SIM cards; 0: not reported. */
  sims: 0,
}
export type SimulatorOptions = Readonly<typeof WELL_BEHAVED>

const PARALLEL = 10

type Simulator = ReturnType<typeof makeSimulatorDriver>

export function makeSimulatorDriver(given: Partial<SimulatorOptions> = {}) {
  const options = { ...WELL_BEHAVED, ...given }
  const reports = new Set<NodeJS.Timeout>()
  let events: DriverEvents | undefined
  let sent = 0

  function now(): Date {
    return new Date(Date.now() + options.clockOffset * 1000)
  }

  async function send(text: OutgoingText): Promise<SendResult> {
    const { lagMs, refuse, fail } = options
    await sleep(lagMs)
    if (Math.random() < refuse)
      return { outcome: 'failed', error: 'No signal (simulated)', notSent: true }
    if (Math.random() < fail)
      return { outcome: 'failed', error: 'Rejected (simulated)', notSent: false }
    transmitText(text)
    return { outcome: 'sent' }
  }

  function transmitText({ id, attempt, to, sim }: OutgoingText): void {
    const { sentFile, dieAfter, lose, deliveryMs } = options
    if (sentFile) appendFileSync(sentFile, `${JSON.stringify({ id, attempt, to, sim })}\n`)
    sent++
    if (sent === dieAfter) process.kill(process.pid, 'SIGKILL')
    if (Math.random() < lose) return
    const report = setTimeout(() => {
      reports.delete(report)
      void events?.delivered({ id, attempt }, now())
    }, deliveryMs)
    reports.add(report)
  }

  const sims = Array.from({ length: options.sims }, (_, i) => ({ slot: i + 1 }))
  return {
    parallel: PARALLEL,
    sendsMms: true,
    ...(sims.length > 0 && { sims }),
    async start(given: DriverEvents): Promise<void> {
      events = given
    },
    now,
    send,
    receive: (text: IncomingText) => void events?.received(text, now()),
    async stop(): Promise<void> {
      for (const report of reports) clearTimeout(report)
      reports.clear()
    },
  }
}

const TYPED = '+447700900123 See you at eight'

/** Reads lines like TYPED from standard input as incoming texts. */
function receiveLines(simulator: Simulator, say: Say): void {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    const [, from, body] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? []
    if (from && body) simulator.receive({ from, body, sim: 0 })
    else if (line.trim() !== '') say(`A line must have a number and a text, like: ${TYPED}`)
  })
}

export const SIMULATOR = defineDriverKind({
  options: {
    lag: makeNumberOption('simulator: milliseconds to send a text', '200'),
    delivery: makeNumberOption('simulator: milliseconds until its delivery report', '500'),
    fail: makeNumberOption('simulator: share of messages that fail, from 0 to 1'),
    refuse: makeNumberOption('simulator: share of messages that are refused unsent'),
    lose: makeNumberOption('simulator: share of delivery reports that are lost'),
    'die-after': makeNumberOption('simulator: kills itself after this number of texts'),
    'clock-offset': makeNumberOption('simulator: error of its clock, in seconds'),
    sims: SIMS,
    'sent-file': {
      type: 'string',
      description: 'simulator: file for sent texts, a JSON line each',
      valueHint: 'FILE',
    },
  },
  platform: 'simulator',
  make(given, _, say) {
    const simulator = makeSimulatorDriver({
      lagMs: readNumberOption('lag', given.lag, 0),
      deliveryMs: readNumberOption('delivery', given.delivery, 0),
      fail: readNumberOption('fail', given.fail, 0, 1),
      refuse: readNumberOption('refuse', given.refuse, 0, 1),
      lose: readNumberOption('lose', given.lose, 0, 1),
      dieAfter: readNumberOption('die-after', given['die-after'], 0),
      clockOffset: readNumberOption('clock-offset', given['clock-offset']),
      sentFile: given['sent-file'] ?? '',
      sims: readNumberOption('sims', given.sims, 0, MAX_SIMS),
    })
    say('This phone is simulated: it sends no real texts.')
    say(`To make it receive a text, type a line like: ${TYPED}`)
    receiveLines(simulator, say)
    return simulator
  },
})
