import { parseArgs } from 'node:util'
import type { Pace } from './measure.ts'
import type { ScaleOptions } from './scale/scale.ts'

const USAGE = `npm run bench -- [options]
With flow as the first word, texts a second through their whole life: npm run bench -- flow --help
With pairs, CPU time of a request beside another checkout: npm run bench -- pairs --help
With doors, CPU time of the same act at each way in: npm run bench -- doors --help
With start, CPU time and memory of the commands and of a start: npm run bench -- start --help
Our rates beside those of a bare Hono + pg server with hand-written SQL, on 200,000 messages in a temporary Postgres.
With POCKETBASE_BIN=/path/to/pocketbase the real PocketBase is measured in the same run.

  --only TEXT     scenarios whose name contains TEXT (list, view, send, "102,000", …), and neither wake-ups nor memory
  --seconds N     how long each server is asked in each round; default 3
  --rounds N      how often the servers take turns; the median counts; default 3
  --quick         one round of one second: shows that it works, not how fast
  --embedded      instead: on the server's own Postgres with the settings for a machine of 1 GB, beside an installed one
                  with the same; time and memory of a first start
  --scale         instead: how long lists and searches of 10,000,000 messages take, asked by users with a tenth and a
                  thousandth of them and by a superuser, one request at a time. Takes 12 GB of disk and some 20 minutes
  --messages N    for --scale; with --quick 1,000,000
  --keep FOLDER   for --scale: the database stays there, and another run uses it again
  --help
`

export interface Options {
  readonly only: string
  readonly embedded: boolean
  readonly pace: Pace
  readonly wakes: number
  /** Set for the measurement of a large history. */
  readonly scale: ScaleOptions | undefined
}

const [MESSAGES, QUICK_MESSAGES] = [10_000_000, 1_000_000]
const FEWEST_MESSAGES = 100_000

/** The command line; undefined when it asked for help, which is printed. */
export function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      quick: { type: 'boolean', default: false },
      embedded: { type: 'boolean', default: false },
      scale: { type: 'boolean', default: false },
      messages: { type: 'string' },
      keep: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const { only, embedded, quick, keep } = values
  const messages = Number(values.messages ?? (quick ? QUICK_MESSAGES : MESSAGES))
  if (!(messages >= FEWEST_MESSAGES))
    throw new Error(`--messages must be ${FEWEST_MESSAGES} or more.`)
  if (!values.scale && (keep ?? values.messages) !== undefined)
    throw new Error('--messages and --keep are for --scale.')
  const seconds = quick ? 1 : Number(values.seconds)
  const rounds = quick ? 1 : Number(values.rounds)
  if (!(seconds > 0) || !(rounds >= 1))
    throw new Error('--seconds and --rounds must be numbers above 0.')
  return {
    only,
    embedded,
    pace: { seconds, rounds, warmSeconds: quick ? 0.5 : 1.5 },
    wakes: quick ? 100 : 1000,
    scale: values.scale ? { messages, keep, only } : undefined,
  }
}
