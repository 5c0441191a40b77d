import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../test/support/database/postgres.ts'
import { type Contender, requestsOf } from './contender.ts'
import { seedDatabase } from './databases.ts'
import { computed, settle } from './process.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'
import { startPocketsms } from './servers.ts'

const HOME = fileURLToPath(new URL('..', import.meta.url))

const USAGE = `npm run bench -- pairs --against FOLDER [--pairs 10] [--requests 3000] [--only TEXT]
CPU time of the server for one request, beside another checkout: both have a database of their own on one Postgres and
take turns, the one that begins in turn, too. Prints both medians, and the median and the spread of the pairs' ratios.
`

/** What is measured, unless --only names other scenarios. */
const USUAL = [
  'view of 2,000',
  'list 30 of 2,000',
  'list 30, filtered of 102,000',
  'create a group',
  'send, 16 connections',
]

/** Requests before the first pair: a JIT compiler needs some to know what is hot. */
const WARM = 3_000

/** Sends `count` requests over the connections of a scenario. Returns milliseconds of CPU time for each. */
async function cost(contender: Contender, scenario: Scenario, count: number): Promise<number> {
  const requests = requestsOf(contender, scenario)!
  let next = 0
  const work = async () => {
    while (next < count) {
      const { method, path, headers, body } = requests[next++ % requests.length]!
      const id = next.toString(36).padStart(7, '0') + Date.now().toString(36).slice(-8)
      const answer = await fetch(contender.url + path!, {
        method: method!,
        headers: headers as Record<string, string>,
        ...(body !== undefined && { body: String(body).replace(/\[(?:new|last)\]/g, id) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    }
  }
  await settle(contender.pid)
  const before = computed(contender.pid)
  await Promise.all(Array.from({ length: scenario.connections }, work))
  return ((computed(contender.pid) - before) * 10) / count
}

const sort = (values: readonly number[]) => values.toSorted((a, b) => a - b)
const median = (values: readonly number[]) => sort(values)[values.length >> 1]!

/** Measures the scenarios whose names contain `only` in pairs with the checkout `against`. */
async function comparePairs(
  against: string,
  only: string | undefined,
  pairs: number,
  requests: number,
): Promise<void> {
  const postgres = await startPostgres()
  const started: Contender[] = []
  try {
    for (const home of [HOME, resolve(against)]) {
      const DATABASE_URL = await seedDatabase(postgres.url, home)
      started.push(await startPocketsms({ DATABASE_URL }, home, home))
    }
    const [ours, theirs] = started as [Contender, Contender]
    const isAsked = ({ name }: Scenario) => (only ? name.includes(only) : USUAL.includes(name))
    for (const scenario of SCENARIOS.filter(isAsked)) {
      for (const one of started) await cost(one, scenario, WARM)
      const [own, other]: [number[], number[]] = [[], []]
      for (let i = 0; i < pairs; i++) {
        const turns = [() => measure(ours, own), () => measure(theirs, other)]
        for (const turn of i % 2 === 0 ? turns : turns.toReversed()) await turn()
      }
      const ratios = sort(own.map((ms, i) => ms / other[i]!))
      const percent = (ratio: number) => `${((ratio - 1) * 100).toFixed(1)} %`
      console.log(
        `${scenario.name}: ${median(own).toFixed(3)} ms, before ${median(other).toFixed(3)} ms; ${percent(median(ratios))} (${percent(ratios[0]!)} to ${percent(ratios.at(-1)!)})`,
      )
      async function measure(contender: Contender, into: number[]) {
        into.push(await cost(contender, scenario, requests))
      }
    }
  } finally {
    for (const one of started.reverse()) await one.stop()
    await postgres.stop()
  }
}

/** Runs the bench of pairs as the command line says. */
export async function benchPairs(args: readonly string[]): Promise<undefined> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      against: { type: 'string' },
      only: { type: 'string' },
      pairs: { type: 'string', default: '10' },
      requests: { type: 'string', default: '3000' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help || !values.against) return void process.stdout.write(USAGE)
  await comparePairs(values.against, values.only, Number(values.pairs), Number(values.requests))
}
