import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createDatabase, freePort, startPostgres } from '../support/database/postgres.ts'
import { serve } from '../support/server/program.ts'
import { Client } from './client.ts'
import { type Case, type Corpus, readCorpus, stepsOf } from './corpus.ts'
import { type Failure, isReading, play, Recorder } from './play.ts'
import { PREFIX, startPocketBase } from './pocketbase.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const CORPUS = fileURLToPath(new URL('.', import.meta.url))
const READERS = 4

const USAGE = `npm run test:conformance -- [options]
Sends the recorded requests to a new server and compares its answers with PocketBase's.

  --on WHAT                   embedded (default): the server's own Postgres; postgres: an installed one, started
                              for this; pocketbase: a real PocketBase; a URL: a server that has the corpus
  --pb PATH                   the program of PocketBase; default pocketbase
  --corpus DIR                schema.json, fixtures.json, identities.json and cases/; default test/conformance
  --area A,B                  only these files of cases/
  --skip A,T                  not the areas of these names, nor cases whose text contains T, which is no area's name
  --record                    writes the answers that differ into the cases; only with --on pocketbase
  --json FILE                 where to put the result of each case
`

const { values: options } = parseArgs({
  options: {
    on: { type: 'string', default: 'embedded' },
    pb: { type: 'string', default: 'pocketbase' },
    corpus: { type: 'string', default: CORPUS },
    area: { type: 'string', default: '' },
    skip: { type: 'string', default: '' },
    record: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})

interface Result {
  readonly area: string
  readonly one: Case
  readonly failure?: Failure
}

const listed = (text: string) => text.split(',').filter(Boolean)
const isPocketBase = options.on === 'pocketbase'

/** The cases that were asked for; says how many were left out. */
function picked(corpus: Corpus): Result[] {
  const [areas, skip] = [listed(options.area), listed(options.skip)]
  const texts = skip.filter((part) => !(part in corpus.areas))
  const all = Object.entries(corpus.areas).flatMap(([area, cases]) =>
    cases.map((one) => ({ area, one })),
  )
  const asked = all.filter(
    ({ area, one }) =>
      (areas.length === 0 || areas.includes(area)) &&
      !skip.includes(area) &&
      !texts.some((text) => JSON.stringify(one).includes(text)),
  )
  if (asked.length < all.length)
    console.log(`${all.length - asked.length} cases left out (--area, --skip)`)
  return asked.filter(({ one }) => !one.tags?.includes(isPocketBase ? 'seed' : 'artefact'))
}

/** Runs reading cases side by side, then the others one by one. */
async function playAll(corpus: Corpus, url: string): Promise<Result[]> {
  const client = new Client(url, corpus, isPocketBase ? PREFIX : '')
  const results: Result[] = []
  const next = async (queue: Result[]) => {
    for (let result = queue.shift(); result; result = queue.shift()) {
      const recorder = options.record ? new Recorder(corpus, result.one) : undefined
      results.push({ ...result, failure: await play(result.one, client, recorder) })
    }
  }
  const all = picked(corpus)
  const reading = all.filter(({ one }) => isReading(one))
  const writing = all.filter(({ one }) => !isReading(one))
  await Promise.all(Array.from({ length: READERS }, () => next(reading)))
  await next(writing)
  return results.sort((a, b) => (a.one.id < b.one.id ? -1 : 1))
}

const short = (value: unknown) => (JSON.stringify(value) ?? '(absent)').slice(0, 400)

/** Prints each failure, the count of each area and of all. Returns the exit code. */
function report(results: readonly Result[]): number {
  const failed = results.filter(({ failure }) => failure)
  for (const { one, failure } of failed) {
    const { step, request, path, expected, got } = failure!
    console.log(`FAIL ${one.id} step ${step}/${stepsOf(one).length}: ${one.why ?? ''}`)
    console.log(`      ${short(request)}`)
    console.log(`      at ${path}\n      expected ${short(expected)}\n      got      ${short(got)}`)
  }
  for (const [area, of] of Map.groupBy(results, ({ area }) => area)) {
    const bad = of.filter(({ failure }) => failure).length
    console.log(`${area.padEnd(16)} ${of.length - bad} passed, ${bad} failed`)
  }
  const counts = { passed: results.length - failed.length, failed: failed.length }
  const cases = results.map(({ area, one, failure }) => ({
    id: one.id,
    area,
    ok: !failure,
    failure,
  }))
  if (options.json) writeFileSync(options.json, JSON.stringify({ ...counts, cases }, null, 1))
  console.log(`${counts.passed} passed, ${counts.failed} failed`)
  return failed.length > 0 ? 1 : 0
}

/** Imports the corpus into an empty database and serves it. */
async function startOurs(corpus: Corpus, env: Record<string, string>) {
  const files = [
    '--schema',
    join(corpus.folder, 'schema.json'),
    '--fixtures',
    join(corpus.folder, 'fixtures.json'),
  ]
  execFileSync('npx', ['--no-install', 'pocketsms', 'import', ...files], {
    cwd: PROJECT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return serve({ ...env, HOST: '127.0.0.1', PORT: String(await freePort()), LOG_LEVEL: 'error' })
}

/** Writes the cases of an area back, one a line. */
const write = (corpus: Corpus, area: string) =>
  writeFileSync(
    join(corpus.folder, 'cases', `${area}.jsonl`),
    corpus.areas[area]!.map((one) => `${JSON.stringify(one)}\n`).join(''),
  )

async function main(): Promise<number> {
  const { on } = options
  if (options.help) {
    console.log(USAGE)
    return 0
  }
  if (!existsSync(join(options.corpus, 'cases'))) {
    console.error(`There is no conformance corpus at ${options.corpus}.`)
    return 2
  }
  const corpus = readCorpus(options.corpus)
  if (on.startsWith('http')) return report(await playAll(corpus, on))
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-conformance-'))
  const postgres = on === 'postgres' ? await startPostgres({ icuLocale: 'en-US' }) : undefined
  try {
    const env: Record<string, string> = postgres
      ? { DATABASE_URL: await createDatabase(postgres.url) }
      : { DATABASE_URL: '', DATA_DIR: join(folder, 'data') }
    console.log(`Conformance on ${postgres ? `Postgres ${postgres.version}` : on}`)
    const server = isPocketBase
      ? await startPocketBase(options.pb, corpus, folder)
      : await startOurs(corpus, env)
    try {
      const results = await playAll(corpus, server.url)
      if (!isPocketBase && server.output().includes('"level":50'))
        console.log(`The server logged errors:\n${server.output()}`)
      if (isPocketBase && options.record)
        for (const area of new Set(results.map(({ area }) => area))) write(corpus, area)
      return report(results)
    } finally {
      await server.stop()
    }
  } finally {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

// what was started ends with us
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.exitCode = await main()
