import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedData } from '../test/support/database/embedded-data.ts'
import { freePort, startPostgres } from '../test/support/database/postgres.ts'
import { serve } from '../test/support/server/program.ts'
import { type Bar, barsOf, type Extras, embeddedBarsOf } from './bars.ts'
import type { Contender } from './contender.ts'
import { seedEmbedded, seedPostgres } from './databases.ts'
import { benchDoors } from './doors.ts'
import { benchFlow } from './flow.ts'
import { compareAnswers, measure, type Row } from './measure.ts'
import { type Options, readOptions } from './options.ts'
import { benchPairs } from './pairs.ts'
import { startPocketBase } from './pocketbase.ts'
import { proportionalMb, residentMb, settle } from './process.ts'
import { barTable, rateTable } from './report.ts'
import { measureScale } from './scale/scale.ts'
import { SCENARIOS } from './scenarios.ts'
import { MESSAGES } from './seed.ts'
import { startBare, startPocketsms } from './servers.ts'
import { benchStart } from './start.ts'
import { measureWakes } from './wake.ts'

const say = (line: string) => void process.stderr.write(`${line}\n`)

/** Whatever was started, in order: ended last first. */
const started: (() => Promise<void> | void)[] = []

async function stopAll(): Promise<void> {
  for (const stop of started.reverse()) await stop()
}

async function add(starting: Promise<Contender>): Promise<Contender> {
  const contender = await starting
  started.push(contender.stop)
  return contender
}

function print(
  title: string,
  rows: readonly Row[],
  names: readonly string[],
  bars: readonly Bar[],
): void {
  const machine = `Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'})`
  console.log(`${title}, ${MESSAGES.toLocaleString('en')} messages, ${machine}\n`)
  console.log(`${rateTable(rows, names)}\n\n${barTable(bars)}`)
}

async function onPostgres({ only, pace, wakes }: Options): Promise<void> {
  say('starting Postgres and filling it')
  const postgres = await startPostgres()
  started.push(postgres.stop)
  const [ourDatabase, bareDatabase] = await seedPostgres(postgres.url)
  const pocketsms = await add(startPocketsms({ DATABASE_URL: ourDatabase }))
  const contenders = [pocketsms, await add(startBare(bareDatabase))]
  const binary = process.env.POCKETBASE_BIN
  if (binary) {
    say('filling PocketBase')
    contenders.push(...(await startPocketBase(binary, ourDatabase)))
    started.push(contenders.at(-1)!.stop)
  }
  const scenarios = SCENARIOS.filter(({ name }) => name.includes(only))
  await compareAnswers(contenders, scenarios)
  const rows = await measure(contenders, scenarios, pace, say)
  const extras: Extras = only
    ? {}
    : { wakes: await measureWakes(pocketsms, wakes), memoryMb: residentMb(pocketsms.pid) }
  const names = contenders.map(({ name }) => name)
  print(`Postgres ${postgres.version}`, rows, names, barsOf(rows, extras))
}

const totalMb = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + proportionalMb(pid), 0)

/** Starts a server on a new data folder, and leaves it alone until it is idle. */
async function firstStart(data: EmbeddedData): Promise<{ startMs: number; idleMb: number }> {
  const begin = performance.now()
  const server = await serve({ ...data.env, HOST: '127.0.0.1', PORT: String(await freePort()) })
  const startMs = performance.now() - begin
  await settle(server.pid)
  const idleMb = totalMb([server.pid, ...data.processes()])
  await server.stop()
  return { startMs, idleMb }
}

async function onEmbedded({ only, pace }: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-bench-'))
  started.push(() => rmSync(folder, { recursive: true, force: true }))
  const first = await firstStart(new EmbeddedData(join(folder, 'empty')))
  say('filling the embedded database')
  const data = new EmbeddedData(join(folder, 'full'))
  const { settings, close } = await seedEmbedded(join(folder, 'full'))
  started.push(close)
  say('starting the installed Postgres and filling it')
  const postgres = await startPostgres({ settings })
  started.push(postgres.stop)
  const [DATABASE_URL] = await seedPostgres(postgres.url)
  const pocketsms = await add(startPocketsms({ ...data.env }))
  const contenders = [pocketsms, await add(startPocketsms({ DATABASE_URL }, 'installed'))]
  const scenarios = SCENARIOS.filter(({ name, kind }) => name.includes(only) && kind !== 'write')
  const rows = await measure(contenders, scenarios, pace, say)
  const loadedMb = totalMb([pocketsms.pid, ...data.processes()])
  const names = contenders.map(({ name }) => name)
  print('The embedded Postgres', rows, names, embeddedBarsOf(rows, { ...first, loadedMb }))
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const [, , first, ...rest] = process.argv
const options =
  first === 'flow'
    ? await benchFlow(rest)
    : first === 'pairs'
      ? await benchPairs(rest)
      : first === 'start'
        ? await benchStart(rest)
        : first === 'doors'
          ? await benchDoors(rest)
          : readOptions()
if (options) {
  try {
    if (options.scale) await measureScale(options.scale)
    else await (options.embedded ? onEmbedded(options) : onPostgres(options))
  } finally {
    await stopAll()
  }
}
