import { type ArgsDef, defineCommand, type ParsedArgs } from 'citty'
import { runProgramCommand, UserError } from '../../platform/api-errors.ts'
import { readProxySettings } from '../../platform/config.ts'
import { useProxy } from '../../platform/outgoing/proxy.ts'
import { onStopSignal } from '../../platform/tools/stop-signal.ts'
import { findOnlyStateFile, findPaired, makeStateFile, refuseExistingState } from './agent-state.ts'
import type { DriverKind } from './drivers/driver-kind.ts'
import { DRIVERS } from './drivers/drivers.ts'
import { makeOption } from './drivers/options.ts'
import { readVersion } from './drivers/run-program.ts'
import { pairAgent, readPairing } from './pair-agent.ts'
import { runAgent } from './run-agent.ts'

const DRIVER_OPTIONS: ArgsDef = Object.assign(
  {},
  ...Object.values(DRIVERS).map(({ options }) => options),
)
const driverArgs = {
  driver: makeOption(
    Object.keys(DRIVERS)
      .join(', ')
      .replace(/, (\w+)$/, ' or $1'),
    'NAME',
    'simulator',
  ),
  ...DRIVER_OPTIONS,
  check: {
    type: 'boolean',
    description:
      "smpp: only bind, and print the carrier's answer. http: print the request for a text",
    default: false,
  },
} as const
type DriverArgs = ParsedArgs<typeof driverArgs>

const printLine = (line: string) => void process.stdout.write(`${line}\n`)

const state = {
  type: 'string',
  description:
    'where the device keeps its token (default: a file of its own in ~/.local/state/pocketsms)',
  valueHint: 'FILE',
} as const

const pairArgs = {
  url: {
    type: 'positional',
    required: true,
    description: 'the server, or the address of a pairing',
  },
  code: {
    type: 'positional',
    required: false,
    description: 'six digits, unless the address has them',
  },
  name: makeOption(
    'what its owner calls it (default: as named when the code was made)',
    'TEXT',
    '',
  ),
  phone: makeOption('its number, as +447700900123', 'NUMBER', ''),
} as const

async function pairWithServer(
  args: ParsedArgs<typeof pairArgs>,
  platform: string,
  file?: string,
): Promise<string> {
  const { name, phone } = args
  const { url, code } = readPairing(args.url, args.code ?? '')
  if (file) refuseExistingState(file)
  const fileOf = (id: string) => file || makeStateFile(id)
  const paired = await pairAgent(url, code, { name, phone, platform }, fileOf)
  printLine(
    `Paired with ${url} as "${paired.name}" (${paired.device}). Its token is in ${paired.file}`,
  )
  return paired.file
}

/** @param fileOf finds or creates the state file; not called with `--check`. */
async function runAgentCommand(
  args: DriverArgs,
  fileOf: (platform: DriverKind['platform']) => string | Promise<string>,
): Promise<void> {
  const kind = DRIVERS[args.driver] // check it first, so that a wrong driver uses up no pairing code
  if (!kind) throw new UserError(`--driver must be one of: ${Object.keys(DRIVERS).join(', ')}.`)
  useProxy(readProxySettings(process.env))
  if (args.check) {
    if (!kind.check) throw new UserError('--check is for --driver smpp and http.')
    return kind.check(args as never, printLine)
  }
  const version = kind.version && (await readVersion(...kind.version))
  if (version) printLine(`Uses ${version}`)
  const file = await fileOf(kind.platform)
  const driver = kind.make(args as never, file, printLine)
  const ended = new AbortController()
  onStopSignal(() => ended.abort())
  const now = () => new Date().toISOString().slice(11, 19)
  await runAgent(file, driver, (line) => printLine(`${now()} ${line}`), ended.signal)
}

/** Runs a command, then ends the process: an open standard input would keep it alive. */
async function runUntilDone(work: () => Promise<void>): Promise<never> {
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
    const file = await pairWithServer(args, args.platform, args.state)
    printLine(`Next: agent run --state ${file}`)
  },
})

const runCommand = defineCommand({
  meta: {
    name: 'run',
    description:
      'Send the messages of this device. The simulator receives the lines that you type: NUMBER TEXT.',
  },
  args: { ...driverArgs, state },
  run: ({ args }) =>
    runUntilDone(() => runAgentCommand(args, () => args.state || findOnlyStateFile())),
})

const startCommand = defineCommand({
  meta: {
    name: 'start',
    description: 'Join a server as a device, then run. The same command again only runs.',
  },
  args: { ...pairArgs, ...driverArgs, state },
  run: ({ args }) =>
    runUntilDone(() =>
      runAgentCommand(args, (platform) => {
        const { url, code } = readPairing(args.url, args.code ?? '')
        return findPaired(url, code, args.state) ?? pairWithServer(args, platform, args.state)
      }),
    ),
})

export const agentCommand = defineCommand({
  subCommands: { start: startCommand, pair: pairCommand, run: runCommand },
})
