import { parseArgs } from 'node:util'
import type { Pace } from './measure.ts'

const USAGE = `npm run bench -- [options]
Our rates beside those of a bare Hono + pg server with hand-written SQL, on 200,000 messages in a temporary Postgres.
With POCKETBASE_BIN=/path/to/pocketbase the real PocketBase is measured in the same run.

  --only TEXT     scenarios whose name contains TEXT (list, view, send, "102,000", …), and neither wake-ups nor memory
  --seconds N     how long each server is asked in each round; default 3
  --rounds N      how often the servers take turns; the median counts; default 3
  --quick         one round of one second: shows that it works, not how fast
  --pglite        instead: list, view and send on PGlite, and the memory of a first start
  --help
`

export interface Options {
  readonly only: string
  readonly pglite: boolean
  readonly pace: Pace
  readonly wakes: number
}

/** The command line; undefined when it asked for help, which is printed. */
export function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      quick: { type: 'boolean', default: false },
      pglite: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const { only, pglite, quick } = values
  const seconds = quick ? 1 : Number(values.seconds)
  const rounds = quick ? 1 : Number(values.rounds)
  if (!(seconds > 0) || !(rounds >= 1)) throw new Error('--seconds and --rounds must be numbers above 0.')
  return {
    only,
    pglite,
    pace: { seconds, rounds, warmSeconds: quick ? 0.5 : 1.5 },
    wakes: quick ? 100 : 1000,
  }
}
