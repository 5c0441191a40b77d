import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DriverEvents, IncomingText, OutgoingText, SendResult } from './driver.ts'

/** Default options of a simulated phone. */
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

export type Simulator = ReturnType<typeof simulatorDriver>

/** A simulated phone, for trials and for tests of failures. */
export function simulatorDriver(given: Partial<SimulatorOptions> = {}) {
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
    if (Math.random() < refuse) return { outcome: 'failed', error: 'No signal (simulated)', notSent: true }
    if (Math.random() < fail) return { outcome: 'failed', error: 'Rejected (simulated)', notSent: false }
    goOut(text)
    return { outcome: 'sent' }
  }

  function goOut({ id, attempt, to, sim }: OutgoingText): void {
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
