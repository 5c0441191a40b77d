import { defineCommand } from 'citty'
import { runProgramCommand, UserError } from '../errors.ts'
import { onStopSignal } from '../tools/stop-signal.ts'
import { DRIVERS, driverArgs } from './drivers.ts'
import { pair, readPairing } from './pair.ts'
import { runAgent } from './run.ts'
import { defaultStateFile } from './state.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)
const sayWithTime = (line: string) => say(`${new Date().toISOString().slice(11, 19)} ${line}`)

const stateFile = (given: string | undefined) => given || defaultStateFile(process.env)

const state = {
  type: 'string',
  description: 'where the device keeps its token (default: ~/.local/state/pocketsms/agent.json)',
  valueHint: 'FILE',
} as const

const pairCommand = defineCommand({
  meta: { name: 'pair', description: 'Join a server as a device.' },
  args: {
    url: { type: 'positional', required: true, description: 'the server, or the address of a pairing' },
    code: { type: 'positional', required: false, description: 'six digits, unless the address has them' },
    name: { type: 'string', description: 'what its owner calls it', valueHint: 'TEXT', default: '' },
    phone: { type: 'string', description: 'its number, as +447700900123', valueHint: 'NUMBER', default: '' },
    platform: {
      type: 'string',
      description: 'android, modem, simulator or other',
      valueHint: 'KIND',
      default: 'simulator',
    },
    state,
  },
  run: ({ args }) =>
    runProgramCommand(async () => {
      const { name, phone, platform } = args
      const { url, code } = readPairing(args.url, args.code ?? '')
      const paired = await pair(url, code, { name, phone, platform }, stateFile(args.state))
      say(`Paired with ${url} as "${paired.name}" (${paired.device}). Next: pocketsms agent run`)
    }),
})

const runCommand = defineCommand({
  meta: {
    name: 'run',
    description:
      'Send what the server has for this device. The simulator receives what is typed: NUMBER TEXT.',
  },
  args: { ...driverArgs, state },
  run: ({ args }) =>
    runProgramCommand(async () => {
      const make = DRIVERS[args.driver]
      if (!make) throw new UserError(`--driver must be one of: ${Object.keys(DRIVERS).join(', ')}.`)
      const ended = new AbortController()
      onStopSignal(() => ended.abort())
      const file = stateFile(args.state)
      await runAgent(file, make(args, file), sayWithTime, ended.signal)
    }).finally(() => process.exit()), // standard input would keep it
})

/** `pocketsms agent`: the program beside a phone or modem. */
export const agentCommand = defineCommand({
  meta: { name: 'agent', description: 'Be a device: send and receive through a phone or modem.' },
  subCommands: { pair: pairCommand, run: runCommand },
})
