import { UserError } from '../../errors.ts'
import type { Driver, DriverEvents, OutgoingText, SendResult, Sim } from '../driver.ts'
import { driverKind } from './driver-kind.ts'
import { openModem } from './mmcli-modem.ts'
import { MAX_SIMS, option } from './options.ts'

/** Uses modems through ModemManager, one SIM each. `names`: indexes or paths, or `any` for a single modem. */
export function modemManagerDriver(...names: readonly string[]) {
  const modems = names.map((name, i) => openModem(name, i + 1))
  let sims: readonly Sim[] = []

  async function start(events: DriverEvents): Promise<void> {
    try {
      for (const modem of modems) await modem.start(events)
    } catch (error) {
      await stop()
      throw error
    }
    sims = await Promise.all(modems.map((modem) => modem.sim()))
  }

  /** Sends through modem number `text.sim` (from 1; 0: the first). A single modem sends for any SIM. */
  async function send(text: OutgoingText): Promise<SendResult> {
    const slot = modems.length === 1 ? 1 : Math.max(text.sim, 1)
    const modem = modems[slot - 1]
    return modem?.send(text) ?? { outcome: 'failed', error: `There is no modem ${text.sim}`, notSent: true }
  }

  async function stop(): Promise<void> {
    await Promise.all(modems.map((modem) => modem.stop()))
  }

  return {
    parallel: names.length,
    get sims() {
      return sims
    },
    start,
    send,
    stop,
  } satisfies Driver
}

function readModems(names: string): string[] {
  const modems = names.split(',').map((name) => name.trim())
  if (modems.length <= MAX_SIMS && modems.every(Boolean) && new Set(modems).size === modems.length)
    return modems
  throw new UserError(`--modem must name 1 to ${MAX_SIMS} different modems, with commas between them.`)
}

export const MODEM_MANAGER = driverKind({
  options: {
    modem: option('modemmanager: number or path of the modem, as mmcli -L says; several: 0,1', 'NAME', 'any'),
  },
  platform: 'modem',
  make: ({ modem }) => modemManagerDriver(...readModems(modem)),
})
