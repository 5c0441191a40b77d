import { defineCommand, type ParsedArgs } from 'citty'
import { runProgramCommand, UserError } from '../errors.ts'
import { onStopSignal } from '../tools/stop-signal.ts'
import { DRIVERS, driverArgs } from './drivers.ts'
import { pair, readPairing } from './pair.ts'
import { runAgent } from './run.ts'
import { findPaired, newStateFile, onlyStateFile, refuseExisting } from './state.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)
const sayWithTime = (line: string) => say(`${new Date().toISOString().slice(11, 19)} ${line}`)

const state = {
  type: 'string',
  description: 'where the device keeps its token (default: a file of its own in ~/.local/state/pocketsms)',
  valueHint: 'FILE',
} as const

const pairArgs = {
  url: { type: 'positional', required: true, description: 'the server, or the address of a pairing' },
  code: { type: 'positional', required: false, description: 'six digits, unless the address has them' },
  name: {
    type: 'string',
    description: 'what its owner calls it (default: as named when the code was made)',
    valueHint: 'TEXT',
    default: '',
  },
  phone: { type: 'string', description: 'its number, as +447700900123', valueHint: 'NUMBER', default: '' },
} as const

/** Default platform by driver. */
const PLATFORMS: Readonly<Record<string, string>> = {
  simulator: 'simulator',
  gammu: 'modem',
  modemmanager: 'modem',
  termux: 'android',
}

/** Joins as a new device with a new state file. Returns the file. */
async function join(args: ParsedArgs<typeof pairArgs>, platform: string, file?: string): Promise<string> {
  const { name, phone } = args
  const { url, code } = readPairing(args.url, args.code ?? '')
  if (file) refuseExisting(file)
  const fileOf = (id: string) => file || newStateFile(process.env, id)
  const paired = await pair(url, code, { name, phone, platform }, fileOf)
  say(`Paired with ${url} as "${paired.name}" (${paired.device}). Its token is in ${paired.file}`)
  return paired.file
}

type DriverArgs = ParsedArgs<typeof driverArgs>

function driverOf(args: DriverArgs) {
  const make = DRIVERS[args.driver]
  if (!make) throw new UserError(`--driver must be one of: ${Object.keys(DRIVERS).join(', ')}.`)
  return make
}

async function run(args: DriverArgs, file: string): Promise<void> {
  const driver = driverOf(args)(args, file)
  const ended = new AbortController()
  onStopSignal(() => ended.abort())
  await runAgent(file, driver, sayWithTime, ended.signal)
}

/** An open standard input would keep the process alive. */
const untilDone = (work: () => Promise<void>) => runProgramCommand(work).finally(() => process.exit())

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
  run: ({ args }) =>
    runProgramCommand(async () => {
      const file = await join(args, args.platform, args.state)
      say(`Next: agent run --state ${file}`)
    }),
})

const runCommand = defineCommand({
  meta: {
    name: 'run',
    description:
      'Send what the server has for this device. The simulator receives what is typed: NUMBER TEXT.',
  },
  args: { ...driverArgs, state },
  run: ({ args }) => untilDone(() => run(args, args.state || onlyStateFile(process.env))),
})

const startCommand = defineCommand({
  meta: {
    name: 'start',
    description: 'Join a server as a device, then run. The same command again only runs.',
  },
  args: { ...pairArgs, ...driverArgs, state },
  run: ({ args }) =>
    untilDone(async () => {
      driverOf(args) // a wrong one costs no code
      const { url, code } = readPairing(args.url, args.code ?? '')
      const known = args.state ? undefined : findPaired(process.env, url, code)
      await run(args, known ?? (await join(args, PLATFORMS[args.driver] ?? 'other', args.state)))
    }),
})

/** `pocketsms agent`: the program beside a phone or modem. */
export const agentCommand = defineCommand({
  meta: { name: 'agent', description: 'Be a device: send and receive through a phone or modem.' },
  subCommands: { start: startCommand, pair: pairCommand, run: runCommand },
})
