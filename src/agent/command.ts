import { createInterface } from 'node:readline'
import { defineCommand, type ParsedArgs } from 'citty'
import { runProgramCommand, UserError } from '../errors.ts'
import { onStopSignal } from '../tools/stop-signal.ts'
import {
  findPaired,
  newStateFile,
  onlyStateFile,
  pair,
  readPairing,
  refuseExisting,
  runAgent,
} from './device.ts'
import type { Driver } from './driver.ts'
import { foldersIn, gammuDriver } from './gammu.ts'
import { modemManagerDriver } from './modem-manager.ts'
import { type Simulator, simulatorDriver } from './simulator.ts'
import { smppDriver } from './smpp/driver.ts'
import { checkCarrier } from './smpp/session.ts'
import { readSettings, sayNumbers } from './smpp/settings.ts'
import { termuxDriver } from './termux.ts'

/** The server's maximum of SIM cards per device. */
const MAX_SIMS = 8

const option = (description: string, valueHint: string, fallback: string) =>
  ({ type: 'string', description, valueHint, default: fallback }) as const
const number = (description: string, fallback = '0') => option(description, 'N', fallback)

const driverArgs = {
  driver: option('simulator, gammu, modemmanager, termux or smpp', 'NAME', 'simulator'),
  lag: number('simulator: milliseconds to send a text', '200'),
  delivery: number('simulator: milliseconds until its delivery report', '500'),
  fail: number('simulator: share of messages that fail, from 0 to 1'),
  refuse: number('simulator: share of messages that are refused unsent'),
  lose: number('simulator: share of delivery reports that are lost'),
  'die-after': number('simulator: kills itself after this number of texts'),
  'clock-offset': number('simulator: error of its clock, in seconds'),
  sims: number('simulator, termux: number of SIM cards; 0: unknown'),
  'sent-file': {
    type: 'string',
    description: 'simulator: file for sent texts, a JSON line each',
    valueHint: 'FILE',
  },
  spool: option("gammu: folder with gammu-smsd's inbox, outbox, sent and error", 'DIR', '/var/spool/gammu'),
  modem: option('modemmanager: number or path of the modem, as mmcli -L says; several: 0,1', 'NAME', 'any'),
  settings: option("smpp: JSON file with the carrier's account", 'FILE', 'smpp.json'),
  check: {
    type: 'boolean',
    description: "smpp: only bind, and print the carrier's answer",
    default: false,
  },
} as const
type DriverArgs = ParsedArgs<typeof driverArgs>

/** Functions that make a driver, by the driver's name. They throw a UserError for an invalid option. */
const DRIVERS: Readonly<Record<string, (args: DriverArgs, stateFile: string) => Driver>> = {
  simulator: makeSimulator,
  gammu: ({ spool }) => gammuDriver(foldersIn(spool)),
  modemmanager: ({ modem }) => modemManagerDriver(...readModems(modem)),
  termux: ({ sims }, stateFile) => termuxDriver(`${stateFile}.termux`, readNumber('sims', sims, 0, MAX_SIMS)),
  smpp: ({ settings }, stateFile) => smppDriver(readSettings(settings, process.env), `${stateFile}.smpp`),
}

function readModems(names: string): string[] {
  const modems = names.split(',').map((name) => name.trim())
  if (modems.length <= MAX_SIMS && modems.every(Boolean) && new Set(modems).size === modems.length)
    return modems
  throw new UserError(`--modem must name 1 to ${MAX_SIMS} different modems, with commas between them.`)
}

function makeSimulator(args: DriverArgs): Driver {
  const simulator = simulatorDriver({
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
  say('This phone is simulated: it sends no real texts.')
  say(`To make it receive a text, type a line like: ${TYPED}`)
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

const TYPED = '+447700900123 See you at eight'

/** Reads lines like TYPED from standard input as incoming texts. */
function receiveLines(simulator: Simulator): void {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    const [, from, body] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? []
    if (from && body) simulator.receive({ from, body, sim: 0 })
    else if (line.trim() !== '') say(`A line must have a number and a text, like: ${TYPED}`)
  })
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

const state = {
  type: 'string',
  description: 'where the device keeps its token (default: a file of its own in ~/.local/state/pocketsms)',
  valueHint: 'FILE',
} as const

const pairArgs = {
  url: { type: 'positional', required: true, description: 'the server, or the address of a pairing' },
  code: { type: 'positional', required: false, description: 'six digits, unless the address has them' },
  name: option('what its owner calls it (default: as named when the code was made)', 'TEXT', ''),
  phone: option('its number, as +447700900123', 'NUMBER', ''),
} as const

const PLATFORMS: Readonly<Record<string, string>> = { simulator: 'simulator', termux: 'android' }

async function join(args: ParsedArgs<typeof pairArgs>, platform: string, file?: string): Promise<string> {
  const { name, phone } = args
  const { url, code } = readPairing(args.url, args.code ?? '')
  if (file) refuseExisting(file)
  const fileOf = (id: string) => file || newStateFile(id)
  const paired = await pair(url, code, { name, phone, platform }, fileOf)
  say(`Paired with ${url} as "${paired.name}" (${paired.device}). Its token is in ${paired.file}`)
  return paired.file
}

/** @param fileOf finds or creates the state file; not called with `--check`. */
async function run(args: DriverArgs, fileOf: () => string | Promise<string>): Promise<void> {
  const make = DRIVERS[args.driver] // check it first, so that a wrong driver uses up no pairing code
  if (!make) throw new UserError(`--driver must be one of: ${Object.keys(DRIVERS).join(', ')}.`)
  if (args.check && args.driver !== 'smpp') throw new UserError('--check is for --driver smpp.')
  if (args.check) {
    const settings = readSettings(args.settings, process.env)
    await checkCarrier(settings, say)
    return sayNumbers(settings, say)
  }
  const file = await fileOf()
  const driver = make(args, file)
  const ended = new AbortController()
  onStopSignal(() => ended.abort())
  const now = () => new Date().toISOString().slice(11, 19)
  await runAgent(file, driver, (line) => say(`${now()} ${line}`), ended.signal)
}

/** Runs a command, then ends the process: an open standard input would keep it alive. */
async function untilDone(work: () => Promise<void>): Promise<never> {
  await runProgramCommand(work).catch((error) => {
    console.error(error)
    process.exitCode = 1
  })
  process.exit()
}

const pairCommand = defineCommand({
  meta: { name: 'pair', description: 'Join a server as a device.' },
  args: {
    ...pairArgs,
    platform: {
      type: 'string',
      required: true,
      description: 'android, modem, simulator or other',
      valueHint: 'KIND',
    },
    state,
  },
  async run({ args }) {
    const file = await join(args, args.platform, args.state)
    say(`Next: agent run --state ${file}`)
  },
})

const runCommand = defineCommand({
  meta: {
    name: 'run',
    description:
      'Send the messages of this device. The simulator receives the lines that you type: NUMBER TEXT.',
  },
  args: { ...driverArgs, state },
  run: ({ args }) => untilDone(() => run(args, () => args.state || onlyStateFile())),
})

const startCommand = defineCommand({
  meta: {
    name: 'start',
    description: 'Join a server as a device, then run. The same command again only runs.',
  },
  args: { ...pairArgs, ...driverArgs, state },
  run: ({ args }) =>
    untilDone(() =>
      run(args, () => {
        const { url, code } = readPairing(args.url, args.code ?? '')
        const known = args.state ? undefined : findPaired(url, code)
        return known ?? join(args, PLATFORMS[args.driver] ?? 'modem', args.state)
      }),
    ),
})

export const agentCommand = defineCommand({
  meta: { name: 'agent', description: 'Act as a device: send and receive through a phone or modem.' },
  subCommands: { start: startCommand, pair: pairCommand, run: runCommand },
})
