import { parseArgs } from 'node:util'
import { hostileCrowd, hostileGuest, hostileUser } from './hostile/hostile-clients.ts'
import type { HostileOptions, Outcome, Scenario, ScenarioContext } from './scenario.ts'
import { carrier } from './scenarios/carrier.ts'
import { deaf } from './scenarios/deaf.ts'
import { failover } from './scenarios/failover.ts'
import { killed } from './scenarios/killed.ts'
import { powerCut } from './scenarios/power-cut.ts'
import { replaced } from './scenarios/replaced.ts'
import { smpp } from './scenarios/smpp.ts'
import { soak } from './scenarios/soak.ts'
import { upgrade } from './scenarios/upgrade.ts'

const SCENARIOS: readonly Scenario[] = [
  killed,
  powerCut,
  failover,
  deaf,
  replaced,
  upgrade,
  hostileGuest,
  hostileUser,
  hostileCrowd,
  smpp,
  carrier,
  soak,
]

const list = SCENARIOS.map(
  ({ name, rounds, what }) => `  ${name.padEnd(15)}${what} (rounds: ${rounds})`,
).join('\n')
const USAGE = `npm run torture -- [options]
What becomes of messages when servers, databases and phones die. Starts servers of its own, each with its own Postgres,
and fails when an acknowledged message is lost, goes out twice, or the store does not say the truth about it.

${list}

  --only NAMES   these scenarios, separated by commas; may be repeated
  --rounds N     how often the fault strikes, instead of the default
  --port N       first of some ports that are free; default 5750
  --help

Of hostile-guest, hostile-user, hostile-crowd, smpp and carrier:
  --short            a few attacks for 2 s each, instead of all for 10 s; one round of faults; 500 texts
  --seconds N        how long each attack takes
  --attack TEXT      only attacks with this text in their names
  --memory N         the server sees a machine of N MB, and is killed when it has more

Of soak:
  --minutes N        how long; default 5
  --servers N        on one database; default 1
  --postgres         on the installed Postgres instead of the embedded one
`

const say = (line: string) => void process.stdout.write(`${line}\n`)

async function play(
  scenario: Scenario,
  stage: Omit<ScenarioContext, 'rounds' | 'say'>,
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

interface HostileValues {
  readonly short: boolean
  readonly seconds?: string
  readonly attack?: string
  readonly memory?: string
}

function hostileOptions({ short, seconds, attack, memory }: HostileValues): HostileOptions {
  return {
    isShort: short,
    ...(seconds && { seconds: Number(seconds) }),
    ...(attack && { attack }),
    ...(memory && { memory: Number(memory) }),
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      port: { type: 'string', default: '5750' },
      short: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      attack: { type: 'string' },
      memory: { type: 'string' },
      minutes: { type: 'string', default: '5' },
      servers: { type: 'string', default: '1' },
      postgres: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return say(USAGE)
  const names = values.only.flatMap((text) => text.split(','))
  const chosen = SCENARIOS.filter(({ name }) => names.length === 0 || names.includes(name))
  if (chosen.length === 0) throw new Error(`No such scenario.\n${list}`)
  for (const scenario of chosen) {
    const { minutes, servers, postgres } = values
    const soakOptions = {
      minutes: Number(minutes),
      servers: Number(servers),
      isOnPostgres: postgres,
    }
    const stage = {
      basePort: Number(values.port),
      hostile: hostileOptions(values),
      soak: soakOptions,
    }
    const { faults } = await play(scenario, stage, Number(values.rounds ?? scenario.rounds))
    if (faults.length > 0) process.exitCode = 1
  }
  for (const { close } of chosen) await close?.()
}

// what was started ends with this process
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
await main()
// a scenario that broke off may have left phones that go on asking
process.exit()
