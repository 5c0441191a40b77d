import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import {
  accessSync,
  chownSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import pg from 'pg'
import { until } from '../until.ts'

const START_MS = 30_000
const DEBIAN = '/usr/lib/postgresql'

/**
 * The role of the applications in a Postgres of ours: it owns its databases, may make more, and has no other
 * rights, as docs/deploy.md sets it up. Its password is the superuser's.
 */
export const PLAIN_ROLE = 'pocketsms_plain'

/** A Postgres of our own: `url` leads to its superuser and the database `postgres`. */
export interface TemporaryPostgres {
  readonly url: string
  readonly version: string
  /** Its folder; the postmaster's id is in `data/postmaster.pid`. */
  readonly folder: string
  /** Ends it as a power cut would, and starts it again `pauseMs` later. Resolves when it answers. */
  crash(pauseMs: number): Promise<void>
  stop(): Promise<void>
}

/**
 * Settings of postgresql.conf by name. `icuLocale`: how the cluster sorts text; absent: bytewise. `port`: any
 * free one, unless given. `parent`: where its folder is made, unless in that of temporary files.
 */
export interface PostgresOptions {
  readonly settings?: Readonly<Record<string, string>>
  readonly port?: number
  readonly parent?: string
  readonly icuLocale?: string
}

/**
 * The folder with `initdb` and `postgres`: PG_BIN, the newest of Debian's, or one on the PATH; undefined if
 * none.
 */
export function findPostgres(): string | undefined {
  const path = (process.env.PATH ?? '').split(delimiter)
  return [process.env.PG_BIN, ...debianFolders(), ...path].find(
    (folder) => folder && isPostgresFolder(folder),
  )
}

function debianFolders(): string[] {
  try {
    const versions = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a))
    return versions.map((version) => join(DEBIAN, version, 'bin'))
  } catch {
    return []
  }
}

function isPostgresFolder(folder: string): boolean {
  try {
    for (const name of ['initdb', 'postgres']) accessSync(join(folder, name), constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Starts a Postgres server in a folder of its own under the temp folder, on a free port of 127.0.0.1, with a
 * random password; `stop` removes it all. Started by root it runs as the account `postgres`, since Postgres
 * refuses root. Throws when none is installed or it does not come up.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<TemporaryPostgres> {
  const bin = findPostgres()
  if (!bin)
    throw new Error(
      'No Postgres is installed (looked at PG_BIN, /usr/lib/postgresql and the PATH).',
    )
  const owner = process.getuid?.() === 0 ? accountOf('postgres') : undefined
  const folder = mkdtempSync(join(options.parent ?? tmpdir(), 'pocketsms-postgres-'))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const password = initialise(bin, folder, owner, options.icuLocale)
  const port = options.port ?? (await freePort())
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const postgres = await run({ bin, folder, owner, url, settings: options.settings })
  try {
    await onServer(url, `create role ${PLAIN_ROLE} login createdb password '${password}'`)
    return postgres
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

/**
 * Starts a replica of a Postgres that `startPostgres` started: a copy that follows it by streaming. Its url
 * leads to the same roles and databases.
 */
export async function startReplica(
  primary: TemporaryPostgres,
  { settings = {}, port, parent = tmpdir() }: PostgresOptions = {},
): Promise<TemporaryPostgres> {
  const bin = findPostgres()!
  const owner = process.getuid?.() === 0 ? accountOf('postgres') : undefined
  const folder = mkdtempSync(join(parent, 'pocketsms-replica-'))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const args = [
    '-d',
    primary.url,
    '-D',
    join(folder, 'data'),
    '-R',
    '-X',
    'stream',
    '--checkpoint=fast',
  ]
  execFileSync(join(bin, 'pg_basebackup'), [...args, '--no-sync'], {
    ...owner,
    cwd: folder,
    stdio: 'pipe',
  })
  const url = new URL(primary.url)
  url.port = String(port ?? (await freePort()))
  return run({ bin, folder, owner, url: url.href, settings })
}

interface Cluster {
  readonly bin: string
  readonly folder: string
  readonly owner: Account | undefined
  readonly url: string
  readonly settings: PostgresOptions['settings']
}

async function run({ bin, folder, owner, url, settings }: Cluster): Promise<TemporaryPostgres> {
  const server = launch(bin, folder, owner, Number(new URL(url).port), settings)
  const stop = () => stopServer(server)
  const crash = async (pauseMs: number) => {
    writeFileSync(join(folder, 'again'), String(pauseMs / 1000))
    const [postmaster] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(postmaster), 'SIGQUIT')
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    await awaitServer(server, url)
  }
  try {
    const version = await awaitServer(server, url)
    return { url, version, folder, crash, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Makes the cluster; answers its superuser's password. */
export function initialise(
  bin: string,
  folder: string,
  owner: Account | undefined,
  icuLocale?: string,
): string {
  const password = randomBytes(12).toString('hex')
  const file = join(folder, 'password')
  writeFileSync(file, password, { mode: 0o600 })
  if (owner) chownSync(file, owner.uid, owner.gid)
  const locale = [
    '--locale=C',
    ...(icuLocale ? ['--locale-provider=icu', `--icu-locale=${icuLocale}`] : []),
  ]
  const access = ['-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${file}`]
  const args = ['-D', join(folder, 'data'), '-E', 'UTF8', '--no-sync', ...locale, ...access]
  execFileSync(join(bin, 'initdb'), args, {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return password
}

/**
 * Runs the server until it ends or standard input does, then removes its folder: whatever becomes of the
 * process that started it, nothing stays behind. A file `again` asks to start it once more, after so many
 * seconds.
 */
const UNTIL_INPUT_ENDS = `
  folder=$1; shift
  exec 3<&0
  (cat <&3 >/dev/null; while kill -INT $(head -n 1 "$folder/data/postmaster.pid") 2>/dev/null; do sleep 1; done) &
  while "$@" 3<&-; [ -e "$folder/again" ]; do
    pause=$(cat "$folder/again"); rm -f "$folder/again"; sleep "$pause"
  done
  rm -rf "$folder"`

function launch(
  bin: string,
  folder: string,
  owner: Account | undefined,
  port: number,
  settings: PostgresOptions['settings'],
): ChildProcess {
  const all = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings }
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [join(bin, 'postgres'), '-D', join(folder, 'data'), ...args]
  return spawn('sh', ['-c', UNTIL_INPUT_ENDS, 'sh', folder, ...command], {
    ...owner,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true, // Ctrl-C on a terminal ends us, and we end the server
  })
}

export interface Account {
  readonly uid: number
  readonly gid: number
}

export function accountOf(name: string): Account {
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/**
 * A port that nobody listens on. It is none of those that the system gives to whoever wants any (from 32768
 * on, on Linux): nobody gets it before it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const isOpen = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  if (isOpen) await new Promise((resolve) => probe.close(resolve))
  return isOpen
}

export async function awaitServer(server: ChildProcess, url: string): Promise<string> {
  let said = ''
  const keep = (chunk: Buffer) => {
    said = (said + chunk).slice(-4000)
  }
  server.stderr?.on('data', keep)
  try {
    return await firstAnswer(server, url, () => said)
  } finally {
    server.stderr?.off('data', keep).resume()
  }
}

async function firstAnswer(server: ChildProcess, url: string, said: () => string): Promise<string> {
  const ask = () =>
    onServer(url, 'show server_version').catch((error: unknown) => {
      if (server.exitCode !== null)
        throw new Error(`Postgres did not start.\n${said()}`, { cause: error })
      return undefined
    })
  const { rows } = await until('Postgres to start', ask, START_MS)
  return String(rows[0]?.server_version).split(' ')[0]!
}

async function stopServer(server: ChildProcess): Promise<void> {
  const ended =
    server.exitCode === null ? new Promise((resolve) => server.once('exit', resolve)) : undefined
  server.stdin?.end()
  await ended
}

/**
 * Makes a database: empty unless a template is given, with a name of its own unless one is given. Answers its
 * url, of PLAIN_ROLE in a Postgres that `startPostgres` started, else of the same role as `adminUrl`.
 */
export async function createDatabase(
  adminUrl: string,
  name = `pocketsms_${randomBytes(6).toString('hex')}`,
  template = 'template0',
): Promise<string> {
  const found = await onServer(adminUrl, `select from pg_roles where rolname = '${PLAIN_ROLE}'`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  if (found.rowCount) url.username = PLAIN_ROLE
  const [database, from] = [name, template].map((one) => pg.escapeIdentifier(one))
  // copied as files, not by the log of changes: 50 ms instead of 110, and its end 20 instead of 70
  const create = `create database ${database} template ${from} strategy file_copy`
  await onServer(adminUrl, `${create} owner ${url.username}`)
  return url.href
}

/** Drops a database that `createDatabase` made, whoever is still connected. */
export async function dropDatabase(adminUrl: string, url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await onServer(adminUrl, `drop database if exists ${pg.escapeIdentifier(name)} with (force)`)
}

export async function onServer(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // the server may go away while it starts
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}
