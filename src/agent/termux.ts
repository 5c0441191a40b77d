import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Driver, DriverEvents, OutgoingText, SendResult } from './driver.ts'
import { needProgram, runProgram } from './program.ts'
import { repeat } from './repeat.ts'

const HINT = 'Install the app Termux:API, let it send and read SMS, and `pkg install termux-api`.'
const LOOK_MS = 10_000
const CALL_MS = 60_000
/** Texts that are looked at: more do not come in between two looks. */
const NEWEST = 50

/** A line of `termux-sms-list`, as far as we read it. `received`: the phone's local time. */
interface Listed {
  readonly _id: number
  readonly number: string
  readonly body: string
  readonly received: string
}

/**
 * An Android phone, from within Termux and by Termux:API. It hands texts to Android and hears no more of
 * them: there are no delivery reports. `memory`: a file that keeps which text was the last that came in.
 */
export class Termux implements Driver {
  readonly parallel = 1
  readonly #memory: string
  #last = Number.NaN
  #stop = async () => {}

  constructor(memory: string) {
    this.#memory = memory
  }

  /** Throws a UserError where Termux:API is not. What came in before the first start stays the phone's. */
  async start(events: DriverEvents): Promise<void> {
    await needProgram('termux-sms-list', ['-l', '1', '-t', 'inbox'], HINT)
    if (existsSync(this.#memory)) this.#last = Number(readFileSync(this.#memory, 'utf8'))
    this.#stop = repeat(() => this.#receive(events), LOOK_MS)
  }

  now(): Date {
    return new Date()
  }

  /** `sim` 1 is Android's slot 0. The text goes through standard input: an argument may be too long. */
  async send({ to, body, sim }: OutgoingText): Promise<SendResult> {
    const slot = sim > 0 ? ['-s', String(sim - 1)] : []
    const { code, output, errors } = await runProgram('termux-sms-send', ['-n', to, ...slot], CALL_MS, body)
    if (code === 0 && output.trim() === '') return { outcome: 'sent' }
    return { outcome: 'failed', error: errors || output.trim() || 'Android did not take it', notSent: false }
  }

  stop = () => this.#stop()

  async #receive(events: DriverEvents): Promise<void> {
    const { output } = await runProgram('termux-sms-list', ['-l', String(NEWEST), '-t', 'inbox'], CALL_MS)
    const list = readList(output)
    if (!list) return
    const texts = list.sort((a, b) => a._id - b._id)
    const newest = texts.at(-1)?._id ?? 0
    const isFirst = Number.isNaN(this.#last)
    for (const { _id, number, body, received } of texts)
      if (!isFirst && _id > this.#last) events.received({ from: number, body, sim: 0 }, instantOf(received))
    if (!isFirst && newest <= this.#last) return
    this.#last = newest
    writeFileSync(this.#memory, String(newest), { mode: 0o600 })
  }
}

/** `2026-11-20 10:45:00`, in the phone's time zone. */
function instantOf(received: string): Date {
  const at = new Date(received)
  return Number.isNaN(at.getTime()) ? new Date() : at
}

/** Undefined when Android did not answer: that is no empty inbox, after which all there is would be new. */
function readList(output: string): Listed[] | undefined {
  try {
    const list: unknown = JSON.parse(output)
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}
