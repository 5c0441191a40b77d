import { createInterface } from 'node:readline'
import { defineCommand, type ParsedArgs } from 'citty'
import { UserError } from '../errors.ts'
import type { Driver } from './driver.ts'
import { pair, readPairing } from './pair.ts'
import { runAgent } from './run.ts'
import { Simulator } from './simulator.ts'
import { defaultStateFile } from './state.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)
const sayWithTime = (line: string) => say(`${new Date().toISOString().slice(11, 19)} ${line}`)

async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

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
    attempt(async () => {
      const { name, phone, platform } = args
      const { url, code } = readPairing(args.url, args.code ?? '')
      const paired = await pair(url, code, { name, phone, platform }, stateFile(args.state))
      say(`Paired with ${url} as "${paired.name}" (${paired.device}). Next: pocketsms agent run`)
    }),
})

const number = (description: string, fallback: string) =>
  ({ type: 'string', description, valueHint: 'N', default: fallback }) as const

const runArgs = {
  driver: {
    type: 'string',
    description: 'what sends: simulator',
    valueHint: 'NAME',
    default: 'simulator',
  },
  state,
  lag: number('simulator: milliseconds that a sending takes', '200'),
  delivery: number('simulator: milliseconds until its delivery report', '500'),
  fail: number('simulator: share of messages that fail, from 0 to 1', '0'),
  refuse: number('simulator: share of messages that provably do not go out', '0'),
  lose: number('simulator: share of delivery reports that are lost', '0'),
  'die-after': number('simulator: kills itself after so many sendings', '0'),
  'clock-offset': number('simulator: seconds by which its clock is wrong', '0'),
  'sent-file': {
    type: 'string',
    description: 'simulator: notes what it sent, a JSON line each',
    valueHint: 'FILE',
  },
} as const
type RunArgs = ParsedArgs<typeof runArgs>

/** Drivers by name. */
const DRIVERS: Readonly<Record<string, (args: RunArgs) => Driver>> = { simulator: makeSimulator }

function makeSimulator(args: RunArgs): Driver {
  const simulator = new Simulator({
    lagMs: readNumber('lag', args.lag, 0),
    deliveryMs: readNumber('delivery', args.delivery, 0),
    fail: readNumber('fail', args.fail, 0, 1),
    refuse: readNumber('refuse', args.refuse, 0, 1),
    lose: readNumber('lose', args.lose, 0, 1),
    dieAfter: readNumber('die-after', args['die-after'], 0),
    clockOffset: readNumber('clock-offset', args['clock-offset']),
    sentFile: args['sent-file'] ?? '',
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
  const range = max === 1 ? ' from 0 to 1' : min === 0 ? ' from 0 on' : ''
  throw new UserError(`--${name} must be a number${range}.`)
}

/** Lines like `+447700900123 text` on standard input come in as texts. */
function receiveLines(simulator: Simulator): void {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    const [, from, body] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? []
    if (from && body) simulator.receive({ from, body, sim: 0 })
    else if (line.trim() !== '') say('A text comes in by a line like: +447700900123 See you at eight')
  })
}

const runCommand = defineCommand({
  meta: {
    name: 'run',
    description:
      'Send what the server has for this device. The simulator receives what is typed: NUMBER TEXT.',
  },
  args: runArgs,
  run: ({ args }) =>
    attempt(async () => {
      const make = DRIVERS[args.driver]
      if (!make) throw new UserError(`--driver must be one of: ${Object.keys(DRIVERS).join(', ')}.`)
      const ended = new AbortController()
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort())
      await runAgent(stateFile(args.state), make(args), sayWithTime, ended.signal)
    }).finally(() => process.exit()), // standard input would keep it
})

/** `pocketsms agent`: the program beside a phone or modem. */
export const agentCommand = defineCommand({
  meta: { name: 'agent', description: 'Be a device: send and receive through a phone or modem.' },
  subCommands: { pair: pairCommand, run: runCommand },
})
