import { createInterface } from 'node:readline'
import type { ParsedArgs } from 'citty'
import { UserError } from '../errors.ts'
import type { Driver } from './driver.ts'
import { foldersIn, Gammu } from './gammu.ts'
import { ModemManager } from './modem-manager.ts'
import { Simulator } from './simulator.ts'
import { Termux } from './termux.ts'

/** The server's maximum. */
const MAX_SIMS = 8

const number = (description: string, fallback: string) =>
  ({ type: 'string', description, valueHint: 'N', default: fallback }) as const

/** Options of `agent run` for drivers. */
export const driverArgs = {
  driver: {
    type: 'string',
    description: 'what sends: simulator, gammu, modemmanager or termux',
    valueHint: 'NAME',
    default: 'simulator',
  },
  lag: number('simulator: milliseconds that a sending takes', '200'),
  delivery: number('simulator: milliseconds until its delivery report', '500'),
  fail: number('simulator: share of messages that fail, from 0 to 1', '0'),
  refuse: number('simulator: share of messages that provably do not go out', '0'),
  lose: number('simulator: share of delivery reports that are lost', '0'),
  'die-after': number('simulator: kills itself after so many sendings', '0'),
  'clock-offset': number('simulator: seconds by which its clock is wrong', '0'),
  sims: number('simulator, termux: how many SIM cards it has; 0: it does not say', '0'),
  'sent-file': {
    type: 'string',
    description: 'simulator: notes what it sent, a JSON line each',
    valueHint: 'FILE',
  },
  spool: {
    type: 'string',
    description: "gammu: folder with gammu-smsd's inbox, outbox, sent and error",
    valueHint: 'DIR',
    default: '/var/spool/gammu',
  },
  modem: {
    type: 'string',
    description: 'modemmanager: number or path of the modem, as mmcli -L says; several: 0,1',
    valueHint: 'NAME',
    default: 'any',
  },
} as const
type DriverArgs = ParsedArgs<typeof driverArgs>

/** Drivers by name, made for the device of `stateFile`. Throw a UserError for an invalid option. */
export const DRIVERS: Readonly<Record<string, (args: DriverArgs, stateFile: string) => Driver>> = {
  simulator: makeSimulator,
  gammu: ({ spool }) => new Gammu(foldersIn(spool)),
  modemmanager: ({ modem }) => new ModemManager(...readModems(modem)),
  termux: ({ sims }, stateFile) => new Termux(`${stateFile}.termux`, readNumber('sims', sims, 0, MAX_SIMS)),
}

function readModems(names: string): string[] {
  const modems = names.split(',').map((name) => name.trim())
  if (modems.length <= MAX_SIMS && modems.every(Boolean) && new Set(modems).size === modems.length)
    return modems
  throw new UserError(`--modem must name 1 to ${MAX_SIMS} different modems, with commas between them.`)
}

function makeSimulator(args: DriverArgs): Driver {
  const simulator = new Simulator({
    lagMs: readNumber('lag', args.lag, 0),
    deliveryMs: readNumber('delivery', args.delivery, 0),
    fail: readNumber('fail', args.fail, 0, 1),
    refuse: readNumber('refuse', args.refuse, 0, 1),
    lose: readNumber('lose', args.lose, 0, 1),
    dieAfter: readNumber('die-after', args['die-after'], 0),
    clockOffset: readNumber('clock-offset', args['clock-offset']),
    sentFile: args['sent-file'] ?? '',
    sims: readNumber('sims', args.sims, 0, MAX_SIMS),
  })
  receiveLines(simulator)
  return simulator
}

function readNumber(
  name: string,
  text: string,
  min = Number.NEGATIVE_INFINITY,
  max = Number.POSITIVE_INFINITY,
) {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= min && value <= max) return value
  const range = max < Infinity ? ` from ${min} to ${max}` : min === 0 ? ' from 0 on' : ''
  throw new UserError(`--${name} must be a number${range}.`)
}

/** Lines like `+447700900123 text` on standard input are incoming texts. */
function receiveLines(simulator: Simulator): void {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    const [, from, body] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? []
    if (from && body) simulator.receive({ from, body, sim: 0 })
    else if (line.trim() !== '')
      process.stdout.write('A text comes in by a line like: +447700900123 See you at eight\n')
  })
}
