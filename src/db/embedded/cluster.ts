import { execFile, spawn, spawnSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { UserError } from '../../errors.ts'
import { syncFolder } from '../../tools/files.ts'
import { isSqlError } from '../errors.ts'
import { hasFiles, readText, remove, writeNew } from './account.ts'
import { isAlive, postmasterOf } from './postmaster.ts'
import { machineMemory, type Settings, settingsFor } from './settings.ts'
import { clusterLink, commandOf, hasCluster, IS_WINDOWS, PORT, type Site } from './site.ts'

const ACCESS = 'pocketsms.json'
/** The file that `flock` locks while the cluster runs: see `lockCommand`. */
const LOCK = 'pocketsms.lock'

/** The database role of pocketsms. It owns its database and has no other rights. */
const ROLE = 'pocketsms'
const SUPERUSER = 'postgres'

interface Access {
  readonly password: string
  readonly port: number
}

/** The URL of a cluster's database for a role. Throws a UserError if the file of the password is damaged. */
export function urlOf(folder: string, user: 'pocketsms' | 'postgres' = ROLE): string {
  const access = accessOf(folder)
  if (!access)
    throw new UserError(
      `The file ${join(folder, ACCESS)} is damaged. The next start of the server makes a new one.`,
    )
  const { password, port } = access
  const host = IS_WINDOWS ? '127.0.0.1' : 'localhost'
  const url = new URL(`postgres://${user}:${password}@${host}:${port}/${user}`)
  if (!IS_WINDOWS) url.searchParams.set('host', folder)
  return url.href
}

function accessOf(folder: string): Access | undefined {
  try {
    const { password, port } = JSON.parse(readText(join(folder, ACCESS)) ?? '') as Access
    return /^[0-9a-f]+$/.test(password) && Number.isInteger(port) ? { password, port } : undefined
  } catch {
    return undefined
  }
}

/** The URL of the cluster in a data folder. Throws a UserError if there is none. */
export function embeddedUrl(dataDir: string): string {
  if (!hasCluster(dataDir)) throw new UserError(`There is no pocketsms in the folder ${dataDir}.`)
  return urlOf(realpathSync(clusterLink(dataDir)))
}

/** Creates the cluster if it is missing. Creates a new password if the file with the password is lost. */
export async function ensureCluster(site: Site): Promise<void> {
  const { folder } = site
  if (!hasFiles(folder)) await makeCluster(site)
  // a copied folder may have lost the mode that Postgres wants
  else chmodSync(folder, 0o700)
  if (existsSync(join(folder, 'PG_VERSION')) && !accessOf(folder)) await renewAccess(site)
}

async function renewAccess(site: Site): Promise<void> {
  const { folder, launch } = site
  const [pid, file] = [postmasterOf(folder), join(folder, ACCESS)]
  if (pid)
    throw new UserError(
      `The file ${file} is damaged, so logins fail. Stop the running Postgres (kill -INT ${pid}) and start again: the server then makes a new file.`,
    )
  const access = newAccess()
  const roles = [SUPERUSER, ROLE].map((role) => `alter role ${role} password '${access.password}'\n`)
  await runSingle(site, folder, roles.join(''))
  remove(file, launch.account)
  writeNew(file, JSON.stringify(access), launch.account)
}

/** Creates the cluster in a temporary folder, then renames it: the cluster is never incomplete. */
async function makeCluster(site: Site): Promise<void> {
  const { folder, launch, programs } = site
  const { account } = launch
  removeLeftovers(site)
  const partial = `${folder}.new.${process.pid}`
  const access = newAccess()
  try {
    mkdirSync(partial, { mode: 0o700, recursive: true })
    if (account) chownSync(partial, account.uid, account.gid)
    writeNew(`${partial}.password`, access.password, account)
    const locale =
      programs.major >= 17
        ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
        : ['--locale=C.UTF-8']
    const logins = ['-U', SUPERUSER, '--auth=scram-sha-256', `--pwfile=${partial}.password`]
    await run(site, 'initdb', ['-D', partial, '-E', 'UTF8', '-k', '-N', ...locale, ...logins])
    const sql = `create role ${ROLE} login password '${access.password}'\ncreate database ${ROLE} owner ${ROLE}\n`
    await runSingle(site, partial, sql)
    writeNew(join(partial, ACCESS), JSON.stringify(access), account)
    writeNew(join(partial, LOCK), '', account)
    // syncing a thousand files one by one may take seconds
    const isQuick = process.platform === 'linux' && programs.major >= 17
    await run(site, 'initdb', ['-D', partial, '-S', ...(isQuick ? ['--sync-method=syncfs'] : [])])
    if (existsSync(folder) && !hasFiles(folder)) rmdirSync(folder)
    if (!existsSync(folder)) renameSync(partial, folder)
    await syncFolder(dirname(folder))
  } finally {
    for (const path of [partial, `${partial}.password`]) remove(path, account)
  }
}

const runSingle = (site: Site, folder: string, sql: string) =>
  run(site, 'postgres', ['--single', '-c', 'exit_on_error=on', '-D', folder, SUPERUSER], sql)

const newAccess = (): Access => ({ password: randomBytes(24).toString('hex'), port: portOf() })

/** The cluster's port. On Windows, without Unix sockets, it must be free: a random one probably is. */
const portOf = () => (IS_WINDOWS ? randomInt(20_000, 32_000) : PORT)

function removeLeftovers({ folder, launch }: Site): void {
  const start = `${basename(folder)}.new.`
  for (const name of readdirSync(dirname(folder)).filter((one) => one.startsWith(start))) {
    const pid = Number.parseInt(name.slice(start.length), 10)
    if (pid === process.pid || !isAlive(pid)) remove(join(dirname(folder), name), launch.account)
  }
}

/** Runs a program of Postgres. Throws a UserError with the program's output if it fails. */
async function run(site: Site, program: string, args: readonly string[], input = ''): Promise<void> {
  const { command, args: all, options } = commandOf(site, program, args)
  const running = promisify(execFile)(command, all, options)
  running.child.stdin!.on('error', () => {}).end(input)
  await running.catch((error) => {
    throw whyNot(site.folder, error.stderr || error.message)
  })
}

/** The exit code of `flock` when another process has the lock. */
const LOCKED = 97

export type Started = ReturnType<typeof startPostgres>

export function startPostgres(site: Site, settings: Settings) {
  const { folder, logs, programs } = site
  const output = openLog(logs)
  const logStart = logBytes(logs)
  const all = {
    ...settingsFor(machineMemory()),
    ...(programs.major >= 18 && { io_method: 'sync' }),
    ...placeOf(site),
    ...settings,
  }
  const given = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { command, args, options } = commandOf(site, 'postgres', ['-D', folder, ...given], lockCommand(site))
  // detached: Postgres outlives this process, and Ctrl-C in a terminal does not reach it
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', output, output] })
  let failed: Error | undefined
  child.on('error', (error) => {
    failed = error
  })
  child.unref()
  closeSync(output)
  const said = () => tailOf(logs, logStart)
  /** Whether the start failed because another Postgres uses this cluster, perhaps on another host. */
  const isLocked = () =>
    child.exitCode === LOCKED || /pre-existing shared memory|lock file .* is empty/.test(said())
  return {
    hasEnded: () => failed !== undefined || child.exitCode !== null || child.signalCode !== null,
    isLocked,
    failure: () => (isLocked() ? IN_USE(folder) : whyNot(folder, failed?.message ?? said())),
  }
}

/** Settings of the socket, which only the account of Postgres can use. On Windows: of a local TCP port. */
function placeOf({ folder }: Site): Settings {
  const port = Number(new URL(urlOf(folder)).port)
  if (IS_WINDOWS) return { port, listen_addresses: '127.0.0.1' }
  const quoted = `"${folder.replaceAll('"', '""')}"`
  return { port, listen_addresses: '', unix_socket_directories: quoted, unix_socket_permissions: '0700' }
}

/** A `flock` command to lock the cluster; [] without flock. Postgres' own check fails across containers. */
function lockCommand({ folder, launch }: Site): string[] {
  const lock = ['--nonblock', '--no-fork', '--conflict-exit-code', String(LOCKED), join(folder, LOCK)]
  const { status } = spawnSync('flock', [...lock, 'true'], { ...launch.account, cwd: '/', stdio: 'ignore' })
  return status === 0 || status === LOCKED ? ['flock', ...lock] : []
}

const MAX_BYTES = 1_000_000
const TAIL_BYTES = 4_000
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants

/** The log file. Its folder is the server's own: the account that runs Postgres may not change it. */
const pathIn = (folder: string) => join(folder, 'postgres.log')

const logBytes = (folder: string): number => statSync(pathIn(folder), { throwIfNoEntry: false })?.size ?? 0

function openLog(folder: string): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  limitLog(folder)
  return openSync(pathIn(folder), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
}

/** Copies a large log to a second file, then empties it. A renamed log would still be written to. */
export function limitLog(folder: string): void {
  if (logBytes(folder) < MAX_BYTES) return
  const path = pathIn(folder)
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
}

/** The end of the log, without text before byte `start`. */
export function tailOf(folder: string, start = 0): string {
  const bytes = logBytes(folder)
  const from = Math.max(start > bytes ? 0 : start, bytes - TAIL_BYTES)
  return bytes === 0 ? '' : readFileSync(pathIn(folder)).toString('utf8', from)
}

const LAST_LINES = 8

const KNOWN: readonly (readonly [RegExp, (folder: string) => string])[] = [
  [
    /shared memory segment.*No space left on device/,
    () =>
      'The memory that processes share, /dev/shm, is too small: Postgres needs 16 MB there (in Docker: --shm-size=64m).',
  ],
  [
    /could not look up effective user ID/,
    () =>
      'Postgres makes databases only for a user with a name: start the server as one that is in /etc/passwd, or name a running Postgres with DATABASE_URL.',
  ],
  [
    /No space left on device|Disk quota exceeded/,
    (folder) => `The disk that holds ${folder} is full. Free some space: the database then starts again.`,
  ],
  [
    /Permission denied|Operation not permitted/,
    (folder) => `The server may not use the files in ${folder}: give them to the user that runs it.`,
  ],
]

const IN_USE = (folder: string) =>
  new UserError(
    `The database in ${folder} is in use on another host or in another container. Stop the server there, or let both use one Postgres by DATABASE_URL.`,
  )

export const GONE = (folder: string) =>
  new UserError(
    `The folder ${folder} of the database is gone, or was emptied. Stop the server. Then put the folder back from a copy, or restore a backup; a start without it makes a new, empty database.`,
  )

/** Explains why a running Postgres refuses the login; undefined for other errors. */
export function refusedFor(error: unknown, folder: string): UserError | undefined {
  if (isSqlError(error, '3D000'))
    return new UserError(
      `The database in ${folder} is incomplete, perhaps because the disk was full. Remove it and start again.`,
    )
  if (isSqlError(error, '28P01'))
    return new UserError(
      `The password in ${join(folder, 'pocketsms.json')} is wrong. Stop all servers, remove the file and start again: the server then makes a new one.`,
    )
  return undefined
}

/** Explains why Postgres does not start: what to do, if that is known, and the end of its output. */
function whyNot(folder: string, said: string): UserError {
  const sentence = KNOWN.find(([pattern]) => pattern.test(said))?.[1](folder)
  const lines = said.trim().split('\n').slice(-LAST_LINES).join('\n  ')
  return new UserError(
    `${sentence ?? `The database in ${folder} does not start.`} Postgres said:\n  ${lines || 'nothing'}`,
  )
}
