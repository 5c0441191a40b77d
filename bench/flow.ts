import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { EmbeddedData } from '../test/support/database/embedded-data.ts'
import { freePort } from '../test/support/database/postgres.ts'
import { serve } from '../test/support/server/program.ts'
import { makeUser, pairDevice, signIn } from '../test/support/server/server-with-devices.ts'
import { SUPERUSER } from '../test/support/server/start.ts'
import { Load, makeAccounts } from '../test/torture/soak/load.ts'
import { Cost } from './cost.ts'
import { residentMb } from './process.ts'

// How many texts go through their whole life in a second: `npm run bench -- flow`.

const USAGE = `npm run bench -- flow [--seconds 30] [--rounds 3] [--against FOLDER] [--rate N]
Texts a second from the send to the webhook call about the delivery: 20 accounts send as fast as they may, 40 phones claim
and report, ten event streams listen, on the embedded Postgres. --against: another checkout, which takes turns with this
one. --rate: so many texts a second instead, beside 20 lists (those of the soak) and 5 incoming texts; how long requests
take then. Of each text: how long Postgres and the server computed, and how much Postgres wrote to its log.
`
const HOME = fileURLToPath(new URL('..', import.meta.url))
const [ACCOUNTS, PHONES] = [20, 2]
/** Texts of which no call has told at a time, and sends. */
const [MOST_OPEN, SENDERS] = [500, 32]
const WARM_MS = 5_000

interface Result {
  readonly home: string
  readonly perSecond: number
  readonly figures: string
}

async function measure(home: string, seconds: number, rate: number): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-flow-'))
  const data = new EmbeddedData(folder)
  data.make(home)
  const PORT = String(await freePort())
  const env = { ...data.env, HOST: '127.0.0.1', PORT, LOG_LEVEL: 'warn', WEBHOOK_ALLOW_PRIVATE: 'true' }
  const server = await serve(env, home)
  try {
    const root = await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
    const pair = { platform: 'simulator' }
    const accounts = await makeAccounts(
      ACCOUNTS,
      PHONES,
      () => makeUser(server.url, root),
      (user) => pairDevice(server.url, user, pair),
    )
    const load = await Load.start([server.url], accounts)
    const { ledger } = load
    const over = AbortSignal.timeout(WARM_MS + seconds * 1000)
    const keepFull = async () => {
      while (!over.aborted) {
        if (ledger.sent.size - ledger.ended < MOST_OPEN) await load.send()
        else await new Promise((resolve) => setTimeout(resolve, 2))
      }
    }
    const work = rate
      ? [load.keepUp({ sends: rate, codes: 0, incoming: 5, lists: 20, exports: 0 }, over)]
      : Array.from({ length: SENDERS }, keepFull)
    await new Promise((resolve) => setTimeout(resolve, WARM_MS))
    const [begin, before] = [performance.now(), ledger.ended]
    const cost = await Cost.begin(server.pid, data)
    await Promise.all(work)
    const end = performance.now()
    const ended = ledger.ended - before
    const perText = await cost.per(ended)
    const perSecond = (ended * 1000) / (end - begin)
    const times = [...ledger.quantiles(begin, end)]
    const figures = times.map(([what, [p50, p99]]) => `${what} ${p50.toFixed(1)}/${p99.toFixed(0)}`)
    const mb = Math.round(residentMb(server.pid) ?? 0)
    await load.stop()
    return { home, perSecond, figures: `${perText}; p50/p99 in ms: ${figures.join(', ')}; ${mb} MB` }
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `args`: what follows `flow` on the command line. */
export async function benchFlow(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '30' },
      rounds: { type: 'string', default: '3' },
      against: { type: 'string' },
      rate: { type: 'string', default: '0' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const homes = [HOME, ...(values.against ? [values.against] : [])]
  const results: Result[] = []
  for (let round = 0; round < Number(values.rounds); round++)
    for (const home of homes) {
      const result = await measure(home, Number(values.seconds), Number(values.rate))
      console.log(`${home}: ${result.perSecond.toFixed(0)} texts a second; ${result.figures}`)
      results.push(result)
    }
  for (const [home, own] of Map.groupBy(results, (result) => result.home)) {
    const sorted = own.map(({ perSecond }) => perSecond).sort((a, b) => a - b)
    console.log(`${home}: median ${sorted[sorted.length >> 1]!.toFixed(0)} texts a second`)
  }
}
