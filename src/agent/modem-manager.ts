import type { Driver, DriverEvents, OutgoingText, SendResult, Sim } from './driver.ts'
import { Modem } from './modem-manager/modem.ts'

/** Modems driven by ModemManager, one SIM each. `names`: numbers or paths, or `any` for the only one. */
export class ModemManager implements Driver {
  readonly parallel: number
  sims: readonly Sim[] = []
  readonly #modems: readonly Modem[]

  constructor(...names: readonly string[]) {
    this.#modems = names.map((name, i) => new Modem(name, i + 1))
    this.parallel = names.length
  }

  /** Throws a UserError if a modem is missing. */
  async start(events: DriverEvents): Promise<void> {
    try {
      for (const modem of this.#modems) await modem.start(events)
    } catch (error) {
      await this.stop()
      throw error
    }
    this.sims = await Promise.all(this.#modems.map((modem) => modem.sim()))
  }

  now(): Date {
    return new Date()
  }

  /** A single modem sends for any requested SIM. */
  async send(text: OutgoingText): Promise<SendResult> {
    const slot = this.#modems.length === 1 ? 1 : Math.max(text.sim, 1)
    const modem = this.#modems[slot - 1]
    return modem?.send(text) ?? { outcome: 'failed', error: `There is no modem ${text.sim}`, notSent: true }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#modems.map((modem) => modem.stop()))
  }
}
