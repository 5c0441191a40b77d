import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Driver, DriverEvents, IncomingText, OutgoingText, SendResult, Sim } from './driver.ts'

/** Defaults of a simulated phone. Shares are from 0 to 1. */
const WELL_BEHAVED = {
  /** Milliseconds to send a message, and until its delivery report. */
  lagMs: 200,
  deliveryMs: 500,
  /** Shares of messages that fail, that provably are not sent, and of delivery reports that are lost. */
  fail: 0,
  refuse: 0,
  lose: 0,
  /** Kills its process after sending this many messages, before it reports the last one. 0: never. */
  dieAfter: 0,
  /** Seconds by which its clock is wrong. */
  clockOffset: 0,
  /** File for a JSON line per sent message; '' for none. */
  sentFile: '',
  /** Number of SIM cards; 0: not reported. */
  sims: 0,
}
export type SimulatorOptions = Readonly<typeof WELL_BEHAVED>

const PARALLEL = 10

/** A simulated phone, for trials and for tests of failures. */
export class Simulator implements Driver {
  readonly parallel = PARALLEL
  readonly sims: readonly Sim[] | undefined
  readonly #options: SimulatorOptions
  readonly #reports = new Set<NodeJS.Timeout>()
  #events: DriverEvents | undefined
  #sent = 0

  constructor(options: Partial<SimulatorOptions> = {}) {
    this.#options = { ...WELL_BEHAVED, ...options }
    const { sims } = this.#options
    if (sims > 0) this.sims = Array.from({ length: sims }, (_, i) => ({ slot: i + 1 }))
  }

  async start(events: DriverEvents): Promise<void> {
    this.#events = events
  }

  now(): Date {
    return new Date(Date.now() + this.#options.clockOffset * 1000)
  }

  async send(text: OutgoingText): Promise<SendResult> {
    const { lagMs, refuse, fail } = this.#options
    await sleep(lagMs)
    if (Math.random() < refuse) return { outcome: 'failed', error: 'No signal (simulated)', notSent: true }
    if (Math.random() < fail) return { outcome: 'failed', error: 'Rejected (simulated)', notSent: false }
    this.#goOut(text)
    return { outcome: 'sent' }
  }

  /** From here on the message counts as sent. */
  #goOut({ id, attempt, to, sim }: OutgoingText): void {
    const { sentFile, dieAfter, lose, deliveryMs } = this.#options
    if (sentFile) appendFileSync(sentFile, `${JSON.stringify({ id, attempt, to, sim })}\n`)
    this.#sent++
    if (this.#sent === dieAfter) process.kill(process.pid, 'SIGKILL')
    if (Math.random() < lose) return
    const report = setTimeout(() => {
      this.#reports.delete(report)
      void this.#events?.delivered({ id, attempt }, this.now())
    }, deliveryMs)
    this.#reports.add(report)
  }

  receive(text: IncomingText): void {
    void this.#events?.received(text, this.now())
  }

  async stop(): Promise<void> {
    for (const report of this.#reports) clearTimeout(report)
    this.#reports.clear()
  }
}
