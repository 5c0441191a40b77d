import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { LOCK, urlOf } from './cluster.ts'
import { LogFile } from './log-file.ts'
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
/** No worker processes for reads and writes. */
const SINCE_18: Settings = { io_method: 'sync' }

/** The exit code of `flock` when another process has the lock. */
const LOCKED = 97

export class Started {
  readonly #site: Site
  readonly #process: ChildProcess
  readonly #log: LogFile
  readonly #logStart: number
  #failed: Error | undefined

  constructor(site: Site, settings: Settings) {
    this.#site = site
    this.#log = new LogFile(site.logs)
    const output = this.#log.open()
    this.#logStart = this.#log.bytes
    const all = { ...SETTINGS, ...(site.programs.major >= 18 ? SINCE_18 : {}), ...placeOf(site), ...settings }
    const given = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const lock = lockCommand(site)
    const { command, args, options } = commandOf(site, 'postgres', ['-D', site.folder, ...given], lock)
    // detached: it outlives this process, and Ctrl-C in a terminal does not reach it
    this.#process = spawn(command, args, {
      ...options,
      detached: true,
      stdio: ['ignore', output, output],
    })
    this.#process.on('error', (error) => {
      this.#failed = error
    })
    this.#process.unref()
    closeSync(output)
  }

  get hasEnded(): boolean {
    return this.#failed !== undefined || this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  /** Whether another Postgres of this cluster runs, on any host. */
  get isLocked(): boolean {
    return (
      this.#process.exitCode === LOCKED || /pre-existing shared memory|lock file .* is empty/.test(this.#said)
    )
  }

  get failure(): Error {
    if (this.isLocked) return IN_USE(this.#site.folder)
    return whyNot(this.#site.folder, this.#failed?.message ?? this.#said)
  }

  get #said(): string {
    return this.#log.tail(this.#logStart)
  }
}

/** Settings for where a cluster listens. Only its own account can connect. */
function placeOf({ folder }: Site): Settings {
  const port = Number(new URL(urlOf(folder)).port)
  if (process.platform === 'win32') return { port, listen_addresses: '127.0.0.1' }
  const quoted = `"${folder.replaceAll('"', '""')}"`
  return { port, listen_addresses: '', unix_socket_directories: quoted, unix_socket_permissions: '0700' }
}

/** Postgres detects another one by its process id, which fails across containers; `flock` does not. */
function lockCommand({ folder, launch }: Site): string[] {
  const lock = ['--nonblock', '--no-fork', '--conflict-exit-code', String(LOCKED), join(folder, LOCK)]
  const { status } = spawnSync('flock', [...lock, 'true'], { ...launch.account, cwd: '/', stdio: 'ignore' })
  return status === 0 || status === LOCKED ? ['flock', ...lock] : []
}
