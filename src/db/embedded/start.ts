import { spawn, spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  copyFileSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { LOCK, urlOf } from './cluster.ts'
import { commandOf, type Site } from './site.ts'
import { IN_USE, whyNot } from './why-not.ts'

export type Settings = Readonly<Record<string, string | number>>

/** Settings for a small machine. The server logs errors of statements itself, without values. */
const SETTINGS: Settings = {
  max_connections: 200,
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  fsync: 'on',
  full_page_writes: 'on',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
}
const SINCE_18: Settings = { io_method: 'sync' }

/** The exit code of `flock` when another process has the lock. */
const LOCKED = 97

export type Started = ReturnType<typeof startPostgres>

export function startPostgres(site: Site, settings: Settings) {
  const { folder, logs, programs } = site
  const output = openLog(logs)
  const logStart = logBytes(logs)
  const all = { ...SETTINGS, ...(programs.major >= 18 ? SINCE_18 : {}), ...placeOf(site), ...settings }
  const given = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { command, args, options } = commandOf(site, 'postgres', ['-D', folder, ...given], lockCommand(site))
  // detached: it outlives this process, and Ctrl-C in a terminal does not reach it
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', output, output] })
  let failed: Error | undefined
  child.on('error', (error) => {
    failed = error
  })
  child.unref()
  closeSync(output)
  const said = () => tailOf(logs, logStart)
  /** Whether another Postgres of this cluster runs, on any host. */
  const isLocked = () =>
    child.exitCode === LOCKED || /pre-existing shared memory|lock file .* is empty/.test(said())
  return {
    hasEnded: () => failed !== undefined || child.exitCode !== null || child.signalCode !== null,
    isLocked,
    failure: () => (isLocked() ? IN_USE(folder) : whyNot(folder, failed?.message ?? said())),
  }
}

/** Settings of a cluster's socket, to which only its own account can connect, or of its port on Windows. */
function placeOf({ folder }: Site): Settings {
  const port = Number(new URL(urlOf(folder)).port)
  if (process.platform === 'win32') return { port, listen_addresses: '127.0.0.1' }
  const quoted = `"${folder.replaceAll('"', '""')}"`
  return { port, listen_addresses: '', unix_socket_directories: quoted, unix_socket_permissions: '0700' }
}

/** A `flock` command for the cluster. Postgres' own check, by process id, fails across containers. */
function lockCommand({ folder, launch }: Site): string[] {
  const lock = ['--nonblock', '--no-fork', '--conflict-exit-code', String(LOCKED), join(folder, LOCK)]
  const { status } = spawnSync('flock', [...lock, 'true'], { ...launch.account, cwd: '/', stdio: 'ignore' })
  return status === 0 || status === LOCKED ? ['flock', ...lock] : []
}

const MAX_BYTES = 1_000_000
const TAIL_BYTES = 4_000
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants

// The log of Postgres is in the server's own folder: the account that runs Postgres may not change it.

const pathIn = (folder: string) => join(folder, 'postgres.log')

const logBytes = (folder: string): number => statSync(pathIn(folder), { throwIfNoEntry: false })?.size ?? 0

function openLog(folder: string): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  limitLog(folder)
  return openSync(pathIn(folder), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
}

/** Copies a large log to a second file and empties it, as processes have it open. */
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
  if (from >= bytes) return ''
  const buffer = Buffer.alloc(bytes - from)
  const file = openSync(pathIn(folder), 'r')
  const read = readSync(file, buffer, 0, buffer.length, from)
  closeSync(file)
  return buffer.toString('utf8', 0, read)
}
