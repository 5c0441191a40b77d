import { parseArgs } from 'node:util'
import { startPostgres } from '../support/postgres.ts'
import { deadPhone } from './dead-phone.ts'
import { deaf } from './deaf.ts'
import { hostile } from './hostile.ts'
import { killed } from './killed.ts'
import { oneKey } from './one-key.ts'
import { postgresCrash } from './postgres-crash.ts'
import { powerCut } from './power-cut.ts'
import { realtime } from './realtime.ts'
import type { Outcome, Scenario, Stage } from './scenario.ts'
import { twoNodes } from './two-nodes.ts'

const SCENARIOS: readonly Scenario[] = [
  killed,
  powerCut,
  postgresCrash,
  deaf,
  deadPhone,
  oneKey,
  twoNodes,
  hostile,
  realtime,
]

const list = SCENARIOS.map(
  ({ name, rounds, what }) => `  ${name.padEnd(15)}${what} (rounds: ${rounds})`,
).join('\n')
const USAGE = `npm run torture -- [options]
What becomes of messages when servers, databases and phones die. Starts a Postgres and servers of its own, and fails
when an acknowledged message is lost, goes out twice, or the store does not say the truth about it.

${list}

  --only NAME    one scenario; may be repeated
  --rounds N     how often the fault strikes, instead of the default
  --port N       first of some ports that are free; default 5750
  --help
`

const say = (line: string) => void process.stdout.write(`${line}\n`)

async function play(
  scenario: Scenario,
  stage: Omit<Stage, 'rounds' | 'say'>,
  rounds: number,
): Promise<Outcome> {
  const begin = performance.now()
  const tell = (line: string) => say(`  ${line}`)
  say(`${scenario.name}: ${scenario.what}`)
  const outcome = await scenario
    .run({ ...stage, rounds, say: tell })
    .catch((error: Error) => ({ faults: [error.stack ?? error.message], figures: '' }))
  tell(outcome.figures)
  for (const fault of outcome.faults) tell(`FAULT ${fault}`)
  tell(
    `${outcome.faults.length === 0 ? 'held' : 'FAILED'}, ${Math.round((performance.now() - begin) / 1000)} s`,
  )
  return outcome
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      port: { type: 'string', default: '5750' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return say(USAGE)
  const chosen = SCENARIOS.filter(({ name }) => values.only.length === 0 || values.only.includes(name))
  if (chosen.length === 0) throw new Error(`No such scenario.\n${list}`)
  const postgres = await startPostgres()
  try {
    for (const scenario of chosen) {
      const stage = { postgres, basePort: Number(values.port) }
      const { faults } = await play(scenario, stage, Number(values.rounds ?? scenario.rounds))
      if (faults.length > 0) process.exitCode = 1
    }
  } finally {
    await postgres.stop()
  }
}

// what was started ends with this process
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
await main()
// a scenario that broke off may have left phones that go on asking
process.exit()
