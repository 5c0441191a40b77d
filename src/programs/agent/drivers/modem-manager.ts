import { UserError } from '../../../platform/api-errors.ts'
import { MAX_SIMS } from '../../../portable/max-sims.ts'
import type { Driver, DriverEvents, OutgoingText, SendResult, Sim } from '../driver-interface.ts'
import { defineDriverKind } from './driver-kind.ts'
import { openModem } from './mmcli-modem.ts'
import { MMCLI } from './mmcli-text.ts'
import { makeOption } from './options.ts'
import { compareVersion, readVersion } from './run-program.ts'

const VERSION = [MMCLI, '--version'] as const

/** Uses modems through ModemManager, one SIM each. `names`: indexes or paths, or `any` for a single modem. */
export function makeModemDriver(...names: readonly string[]) {
  const modems = names.map((name, i) => openModem(name, i + 1))
  let sims: readonly Sim[] = []

  async function start(events: DriverEvents): Promise<void> {
    const program = await readVersion(...VERSION)
    if (compareVersion(program, 1, 14) < 0)
      throw new UserError(
        `${program} is too old: its JSON is invalid. Install ModemManager 1.14 or later.`,
      )
    const takesFile = compareVersion(program, 1, 22) >= 0
    try {
      for (const modem of modems) await modem.start(events, takesFile)
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
    return (
      modem?.send(text) ?? {
        outcome: 'failed',
        error: `There is no modem ${text.sim}`,
        notSent: true,
      }
    )
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
  throw new UserError(
    `--modem must name 1 to ${MAX_SIMS} different modems, with commas between them.`,
  )
}

export const MODEM_MANAGER = defineDriverKind({
  options: {
    modem: makeOption(
      'modemmanager: number or path of the modem, as mmcli -L says; several: 0,1',
      'NAME',
      'any',
    ),
  },
  version: VERSION,
  platform: 'modem',
  make: ({ modem }) => makeModemDriver(...readModems(modem)),
})
