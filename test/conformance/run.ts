import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createDatabase, freePort, startPostgres } from '../support/database/postgres.ts'
import { serve } from '../support/server/program.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const CORPUS = fileURLToPath(new URL('.', import.meta.url))

const USAGE = `npm run test:conformance -- [options]
Sends the recorded requests to a new server and compares its answers with PocketBase's.

  --on embedded|postgres      default embedded, the server's own; postgres: an installed one, started for this
  --corpus DIR                schema.json, fixtures.json, identities.json and cases/; default test/conformance
  --area A,B                  only these files of cases/
  --skip A,T                  not the areas of these names, nor cases whose text contains T, which is no area's name
  --json FILE                 where to put the result of each case
`

const { values: options } = parseArgs({
  options: {
    on: { type: 'string', default: 'embedded' },
    corpus: { type: 'string', default: CORPUS },
    area: { type: 'string', default: '' },
    skip: { type: 'string', default: '' },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})

const listed = (text: string) => text.split(',').filter(Boolean)

/** A copy of the corpus without the cases that were not asked for; says how many were left out. */
function pick(corpus: string, folder: string): string {
  const files = readdirSync(join(corpus, 'cases'))
  const areaOf = (file: string) => file.replace(/\.jsonl$/, '')
  const [areas, skip] = [listed(options.area), listed(options.skip)]
  const texts = skip.filter((part) => !files.map(areaOf).includes(part))
  let left = 0
  mkdirSync(join(folder, 'cases'), { recursive: true })
  for (const file of ['schema.json', 'fixtures.json', 'identities.json'])
    cpSync(join(corpus, file), join(folder, file))
  for (const file of files) {
    const area = areaOf(file)
    const cases = readFileSync(join(corpus, 'cases', file), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
    const isAsked = (areas.length === 0 || areas.includes(area)) && !skip.includes(area)
    const kept = isAsked ? cases.filter((text) => !texts.some((part) => text.includes(part))) : []
    left += cases.length - kept.length
    writeFileSync(join(folder, 'cases', file), kept.join('\n'))
  }
  if (left > 0) console.log(`${left} cases left out (--area, --skip)`)
  return folder
}

/** Imports the corpus into an empty database, serves it, runs the cases; answers the runner's exit code. */
async function judge(corpus: string, env: Record<string, string>, folder: string): Promise<number> {
  const files = ['--schema', join(corpus, 'schema.json'), '--fixtures', join(corpus, 'fixtures.json')]
  execFileSync('npx', ['--no-install', 'pocketsms', 'import', ...files], {
    cwd: PROJECT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const port = String(await freePort())
  const server = await serve({ ...env, HOST: '127.0.0.1', PORT: port, LOG_LEVEL: 'error' })
  try {
    const output = options.json ? ['--json', options.json] : []
    const args = [
      join(CORPUS, 'runner.mjs'),
      '--corpus',
      pick(corpus, join(folder, 'corpus')),
      '--url',
      server.url,
    ]
    const runner = spawn(process.execPath, [...args, ...output], { stdio: ['ignore', 'inherit', 'inherit'] })
    const code = await new Promise<number>((resolve) => runner.on('exit', (code) => resolve(code ?? 2)))
    if (server.output().includes('"level":50')) console.log(`The server logged errors:\n${server.output()}`)
    return code
  } finally {
    await server.stop()
  }
}

async function main(): Promise<number> {
  if (options.help) {
    console.log(USAGE)
    return 0
  }
  const { corpus, on } = options
  if (!existsSync(join(corpus, 'cases'))) {
    console.error(`There is no conformance corpus at ${corpus}.`)
    return 2
  }
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-conformance-'))
  const postgres = on === 'postgres' ? await startPostgres({ icuLocale: 'en-US' }) : undefined
  try {
    const env: Record<string, string> = postgres
      ? { DATABASE_URL: await createDatabase(postgres.url) }
      : { DATABASE_URL: '', DATA_DIR: join(folder, 'data') }
    console.log(`Conformance on ${postgres ? `Postgres ${postgres.version}` : 'the embedded Postgres'}`)
    return await judge(corpus, env, folder)
  } finally {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

// what was started ends with us
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.exitCode = await main()
