import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '../test/support/database/postgres.ts'
import { type RunningProgram, serve } from '../test/support/server/program.ts'
import {
  type Client,
  makeUser,
  must,
  pairDevice,
  signIn,
} from '../test/support/server/server-with-devices.ts'
import { SUPERUSER } from '../test/support/server/start.ts'
import { Load, makeAccounts } from '../test/torture/soak/load.ts'
import { Cost } from './cost.ts'
import { makeEmbedded, makeOutside } from './flow-database.ts'
import { residentMb } from './process.ts'

// How many texts go through their whole life in a second: `npm run bench -- flow`.

const USAGE = `npm run bench -- flow [--seconds 30] [--rounds 3] [--against FOLDER] [--rate N] [--streams 10]
    [--postgres] [--servers 1] [--limited]
Texts a second from the send to the webhook call about the delivery: 20 accounts send as fast as they may, 40 phones claim
and report, ten event streams listen, on the embedded Postgres. --against: another checkout, which takes turns with this
one. --rate: so many texts a second instead, beside 20 lists (those of the soak) and 5 incoming texts; how long requests
take then. Of each text: how long Postgres and the server computed, and how much Postgres wrote to its log.
--postgres: on the installed Postgres. --servers: so many on it. --limited: lines have a limit per minute that they do
not reach.
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

interface Setup {
  readonly seconds: number
  /** Texts a second; 0: as many as possible. */
  readonly rate: number
  readonly streams: number
  readonly servers: number
  readonly isOutside: boolean
  readonly isLimited: boolean
}

async function measure(home: string, setup: Setup): Promise<Result> {
  const { seconds, rate, streams } = setup
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-flow-'))
  const data = setup.isOutside ? await makeOutside(home) : makeEmbedded(folder, home)
  const servers: RunningProgram[] = []
  try {
    for (let i = 0; i < setup.servers; i++) {
      const PORT = String(await freePort())
      const env = {
        ...data.env,
        HOST: '127.0.0.1',
        PORT,
        LOG_LEVEL: 'warn',
        WEBHOOK_ALLOW_PRIVATE: 'true',
        // all streams come from one address
        MAX_STREAMS: '0',
      }
      servers.push(await serve(env, home))
    }
    const [{ url }] = servers as [RunningProgram]
    const pids = servers.map(({ pid }) => pid)
    const root = await signIn(url, '_superusers', SUPERUSER.email, SUPERUSER.password)
    const pair = { platform: 'simulator' }
    const accounts = await makeAccounts(
      ACCOUNTS,
      PHONES,
      () => makeUser(url, root),
      (user) => pairDevice(url, user, pair),
    )
    if (setup.isLimited) for (const { user } of accounts) await limitLines(user)
    const urls = servers.map((server) => server.url)
    const load = await Load.start(urls, accounts, { streams })
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
    const cost = await Cost.begin(pids, data)
    await Promise.all(work)
    const end = performance.now()
    const ended = ledger.ended - before
    if (ended === 0)
      throw new Error(`No text ended: ${[...ledger.refusals.keys()].slice(0, 3).join('; ')}`)
    const perText = await cost.per(ended)
    const perSecond = (ended * 1000) / (end - begin)
    const times = [...ledger.quantiles(begin, end)]
    const figures = times.map(([what, [p50, p99]]) => `${what} ${p50.toFixed(1)}/${p99.toFixed(0)}`)
    const mb = pids.map((pid) => Math.round(residentMb(pid) ?? 0)).join(' and ')
    await load.stop()
    return {
      home,
      perSecond,
      figures: `${perText}; p50/p99 in ms: ${figures.join(', ')}; ${mb} MB`,
    }
  } finally {
    for (const server of servers) await server.stop()
    if (setup.isOutside) await data.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function limitLines(user: Client): Promise<void> {
  const { items } = await must(user, 'GET', '/api/collections/lines/records')
  for (const { id } of items)
    await must(user, 'PATCH', `/api/collections/lines/records/${id}`, { per_minute: 100_000 })
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
      streams: { type: 'string', default: '10' },
      postgres: { type: 'boolean', default: false },
      servers: { type: 'string', default: '1' },
      limited: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const setup: Setup = {
    seconds: Number(values.seconds),
    rate: Number(values.rate),
    streams: Number(values.streams),
    servers: Number(values.servers),
    isOutside: values.postgres,
    isLimited: values.limited,
  }
  const homes = [HOME, ...(values.against ? [values.against] : [])]
  const results: Result[] = []
  for (let round = 0; round < Number(values.rounds); round++)
    for (const home of homes) {
      const result = await measure(home, setup)
      console.log(`${home}: ${result.perSecond.toFixed(0)} texts a second; ${result.figures}`)
      results.push(result)
    }
  for (const [home, own] of Map.groupBy(results, (result) => result.home)) {
    const sorted = own.map(({ perSecond }) => perSecond).sort((a, b) => a - b)
    console.log(`${home}: median ${sorted[sorted.length >> 1]!.toFixed(0)} texts a second`)
  }
}
