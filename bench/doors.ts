import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '../test/support/database/postgres.ts'
import { type RunningProgram, serve } from '../test/support/server/program.ts'
import { type Act, type DoorActs, prepareActs } from './door-acts.ts'
import { type FlowDatabase, makeOutside } from './flow-database.ts'
import { computed } from './process.ts'

// What the same act costs at each way in: `npm run bench -- doors`.

const USAGE = `npm run bench -- doors [--beside FOLDER] [--rounds 5] [--requests 200] [--only TEXT] [--bounds]
CPU time of the server and its Postgres for one text, a list of 50 and a send at every door, and for one text's fetch and
report by a phone, with 20,000 texts in the account and eight connections. Prints the medians in milliseconds, and their
ratios to the same act on PocketBase's routes with a user's token. --beside: another checkout, which takes turns with this
one. --bounds: fails if an act costs more than its bound.
`
const HOME = fileURLToPath(new URL('..', import.meta.url))
const CONNECTIONS = 8
/** Requests before an act is measured: a JIT compiler needs some to know what is hot. */
const WARM = 100

/** The largest ratio of an act to the same act with a user's token. */
const BOUNDS: Readonly<Record<Act['kind'], number>> = { text: 3, list: 3, send: 1.5, phone: 6 }

/** Larger bounds: of MCP's library, of SMTP, which asks twice, and of hooks, which store each call. */
const DEAR: Readonly<Record<string, number>> = {
  'send, MCP': 2.5,
  'send, mail': 5,
  'send, hook': 8,
}

interface Checkout {
  readonly home: string
  readonly data: FlowDatabase
  readonly server: RunningProgram
  readonly doors: DoorActs
  /** Milliseconds of each round by the name of the act. */
  readonly costs: Map<string, number[]>
}

async function startCheckout(home: string): Promise<Checkout> {
  const data = await makeOutside(home)
  const SMTP_PORT = String(await freePort())
  const server = await serve(
    {
      ...data.env,
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      SMTP_PORT,
      LOG_LEVEL: 'warn',
      SMS_MAX_RECIPIENTS: '10000',
      DEVICE_ONLINE_SECONDS: '86400',
    },
    home,
  )
  const doors = await prepareActs(server.url, Number(SMTP_PORT), data.url)
  return { home, data, server, doors, costs: new Map() }
}

/** Hundredths of a second that the server and its Postgres have computed. */
function readTicks({ server, data }: Checkout): number {
  const [postmaster = 0, ...children] = data.processes()
  const others = [server.pid, ...children].reduce((sum, pid) => sum + computed(pid), 0)
  return computed(postmaster, true) + others
}

/** Does an act `count` times. Returns milliseconds of CPU time for each. */
async function measureAct(checkout: Checkout, act: Act, count: number): Promise<number> {
  let next = 0
  const work = async () => {
    while (next++ < count) await act.run()
  }
  await act.prepare?.(count)
  const before = readTicks(checkout)
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return ((readTicks(checkout) - before) * 10) / count
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Returns the acts that cost more than their bound. */
function printTable({ home, doors: { acts }, costs }: Checkout): string[] {
  console.log(`\n${home}\n${'act'.padEnd(44)}${'ms'.padStart(8)}${'ratio'.padStart(8)}`)
  const first = new Map<Act['kind'], number>()
  const dear: string[] = []
  for (const { name, kind } of acts.filter((act) => costs.has(act.name))) {
    const ms = median(costs.get(name) ?? [])
    if (!first.has(kind)) first.set(kind, ms)
    const ratio = ms / first.get(kind)!
    console.log(`${name.padEnd(44)}${ms.toFixed(2).padStart(8)}${ratio.toFixed(1).padStart(8)}`)
    const bound = DEAR[name] ?? BOUNDS[kind]
    if (ratio > bound) dear.push(`${name}: ${ratio.toFixed(1)}, at most ${bound}`)
  }
  return dear
}

/** Runs the bench of doors as the command line says. */
export async function benchDoors(args: readonly string[]): Promise<undefined> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      beside: { type: 'string' },
      only: { type: 'string', default: '' },
      rounds: { type: 'string', default: '5' },
      requests: { type: 'string', default: '200' },
      bounds: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const homes = [HOME, ...(values.beside ? [resolve(values.beside)] : [])]
  const checkouts: Checkout[] = []
  try {
    for (const home of homes) checkouts.push(await startCheckout(home))
    // acts of one name take turns: they are the same in each checkout
    const isAsked = ({ name }: Act) => name.includes(values.only)
    for (const { name } of checkouts[0]!.doors.acts.filter(isAsked)) {
      const turns = checkouts.map(
        (one) => [one, one.doors.acts.find((act) => act.name === name)!] as const,
      )
      for (const [checkout, act] of turns) await measureAct(checkout, act, WARM)
      for (let round = 0; round < Number(values.rounds); round++)
        for (const [checkout, act] of round % 2 === 0 ? turns : turns.toReversed()) {
          const ms = await measureAct(checkout, act, Number(values.requests))
          checkout.costs.set(name, [...(checkout.costs.get(name) ?? []), ms])
        }
      const medians = checkouts.map(({ costs }) => median(costs.get(name)!).toFixed(2))
      process.stderr.write(`${name}: ${medians.join(' ms, beside ')} ms\n`)
    }
    const [dear] = checkouts.map(printTable)
    if (values.bounds && dear!.length > 0) {
      console.log(`\nToo dear: ${dear!.join('; ')}`)
      process.exitCode = 1
    }
  } finally {
    for (const { doors, server, data } of checkouts.reverse()) {
      doors.close()
      await server.stop()
      await data.stop()
    }
  }
}
