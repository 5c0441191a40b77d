import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { EmbeddedData } from '../test/support/database/embedded-data.ts'
import { freePort } from '../test/support/database/postgres.ts'
import { type RunningProgram, startProgram } from '../test/support/server/program.ts'
import { computed, proportionalMb, settle } from './process.ts'
import { table } from './report.ts'
import { profileStart } from './start-profile.ts'

const HOME = fileURLToPath(new URL('..', import.meta.url))
const USAGE = `npm run bench -- start [--rounds 5] [--packed FOLDER] [--against FOLDER] [--only TEXT] [--profile]
CPU time, time and memory of --help, doctor, a first and a second serve, with an embedded Postgres, beside a bare Node
with the same libraries: the median of the rounds, in which all take turns. The cache of compiled code is empty before a
first serve and full before the others.
  --packed FOLDER   also the program of an installation of the packed file: FOLDER/node_modules/pocketsms
  --against FOLDER  also another checkout
  --only TEXT       steps whose names contain TEXT; a first serve is always run
  --profile         instead: where the CPU time of each step goes, by part and by module (--cpu-prof)
`

/** What one run of one step took; Postgres's figures only where the step serves. */
interface Sample {
  readonly cpu: number
  readonly seconds: number
  readonly mb?: number
  readonly postgresCpu?: number
  readonly postgresMb?: number
}

/** Settings and folders of one program in one round. */
interface Place {
  readonly home: string
  readonly folder: string
  readonly data: EmbeddedData
  readonly env: Readonly<Record<string, string>>
}

function makePlace(home: string): Place {
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-start-'))
  const data = new EmbeddedData(join(folder, 'data'))
  const env = {
    ...data.env,
    HOST: '127.0.0.1',
    XDG_CACHE_HOME: join(folder, 'cache'),
    WORKERS: '',
  }
  return { home, folder, data, env }
}

const programOf = (home: string) => join(home, 'bin/pocketsms.js')
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Seconds that children of this process have computed which have ended. */
const endedSeconds = () => (computed(process.pid, true) - computed(process.pid)) / 100

/** Runs a command to its end, whatever its exit code. */
async function runCommand({ home, env, folder }: Place, words: readonly string[]): Promise<Sample> {
  const [before, begin] = [endedSeconds(), performance.now()]
  const options = { cwd: folder, env: { ...process.env, ...env }, stdio: 'ignore' } as const
  const child = spawn(process.execPath, [programOf(home), ...words], options)
  await new Promise((end) => child.once('exit', end))
  return { cpu: endedSeconds() - before, seconds: (performance.now() - begin) / 1000 }
}

/** Measures a start until its first answer, then its memory when it is idle. */
async function measureStart(
  start: () => Promise<RunningProgram>,
  data?: EmbeddedData,
): Promise<Sample> {
  const begin = performance.now()
  const server = await start()
  const seconds = (performance.now() - begin) / 1000
  const cpu = computed(server.pid) / 100
  const [postmaster, ...others] = data?.processes() ?? []
  const ended = (computed(server.pid, true) - computed(server.pid)) / 100
  const postgresCpu =
    (postmaster ? computed(postmaster, true) + sum(others.map((pid) => computed(pid))) : 0) / 100
  await settle(server.pid)
  const mb = proportionalMb(server.pid)
  const postgresMb = sum((data?.processes() ?? []).map(proportionalMb))
  await server.stop()
  return { cpu, seconds, mb, ...(data && { postgresCpu: ended + postgresCpu, postgresMb }) }
}

async function serveFrom({ home, env, data }: Place): Promise<Sample> {
  const PORT = String(await freePort())
  const args = [programOf(home), 'serve']
  const url = `http://127.0.0.1:${PORT}`
  return measureStart(
    () => startProgram(process.execPath, args, { ...env, PORT }, url, '/api/health'),
    data,
  )
}

/** Makes the database, and fills the cache for the steps after it. */
const FIRST = 'first serve'
const STEPS: Readonly<Record<string, (place: Place) => Promise<Sample>>> = {
  [FIRST]: serveFrom,
  'second serve': serveFrom,
  '--help': (place) => runCommand(place, ['--help']),
  doctor: (place) => runCommand(place, ['doctor']),
}

async function startBare(): Promise<Sample> {
  const PORT = String(await freePort())
  const file = fileURLToPath(new URL('bare/bare-imports.ts', import.meta.url))
  return measureStart(() =>
    startProgram(process.execPath, [file], { PORT }, `http://127.0.0.1:${PORT}`, '/'),
  )
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** A row of medians; empty cells where a step has no such figure. */
function rowOf(name: string, samples: readonly Sample[]): string[] {
  const cell = (key: keyof Sample, digits: number) => {
    const values = samples.flatMap((sample) => sample[key] ?? [])
    return values.length ? median(values).toFixed(digits) : ''
  }
  return [
    name,
    cell('cpu', 2),
    cell('seconds', 2),
    cell('mb', 0),
    cell('postgresCpu', 2),
    cell('postgresMb', 0),
  ]
}

async function compareStarts(homes: ReadonlyMap<string, string>, rounds: number, only: string) {
  const samples = new Map<string, Sample[]>()
  const keep = (name: string, sample: Sample) =>
    samples.set(name, [...(samples.get(name) ?? []), sample])
  for (let round = 0; round < rounds; round++) {
    keep('bare Node with the libraries', await startBare())
    for (const [label, home] of homes) {
      const place = makePlace(home)
      try {
        for (const [step, measure] of Object.entries(STEPS)) {
          const isAsked = step.includes(only)
          if (!isAsked && step !== FIRST) continue
          const sample = await measure(place)
          if (isAsked) keep(`${label}: ${step}`, sample)
        }
      } finally {
        rmSync(place.folder, { recursive: true, force: true })
      }
    }
  }
  const head = ['', 'CPU s', 's', 'MB', 'Postgres CPU s', 'Postgres MB']
  return table([head, ...[...samples].map(([name, own]) => rowOf(name, own))])
}

/** Runs the bench of starts as the command line says. */
export async function benchStart(args: readonly string[]): Promise<undefined> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '5' },
      packed: { type: 'string' },
      against: { type: 'string' },
      only: { type: 'string', default: '' },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const homes = new Map([['clone', HOME]])
  if (values.packed) homes.set('packed', resolve(values.packed, 'node_modules/pocketsms'))
  if (values.against) homes.set('before', resolve(values.against))
  for (const home of homes.values())
    if (!existsSync(programOf(home))) throw new Error(`${programOf(home)} does not exist.`)
  if (!values.profile)
    return void console.log(await compareStarts(homes, Number(values.rounds), values.only))
  for (const [label, home] of homes) {
    const { folder, env } = makePlace(home)
    try {
      for (const step of Object.keys(STEPS).filter((name) => name.includes(values.only)))
        console.log(`${label}: ${step}\n\n${await profileStart(home, step, folder, env)}\n`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
