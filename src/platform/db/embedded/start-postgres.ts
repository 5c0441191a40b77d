import { spawn, spawnSync } from 'node:child_process'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { readMachineMemory } from '../../tools/machine-memory.ts'
import { readClusterUrl } from './cluster-access.ts'
import { makeSpawnArguments, type Site } from './cluster-location.ts'
import { IS_WINDOWS } from './is-windows.ts'
import { logBytes, openLog, readLogTail } from './postgres-log.ts'
import { makePostgresSettings, type PostgresSettings } from './postgres-settings.ts'
import { explainFailedStart, makeInUseError } from './start-faults.ts'

/** The file that `flock` locks while the cluster runs: see `lockCommand`. */
export const LOCK = 'pocketsms.lock'

/** The exit code of `flock` when another process has the lock. */
const LOCKED = 97

export type StartedPostgres = ReturnType<typeof startPostgres>

export function startPostgres(site: Site, settings: PostgresSettings) {
  const { folder, logs, programs } = site
  const output = openLog(logs)
  const logStart = logBytes(logs)
  const all = {
    ...makePostgresSettings(readMachineMemory()),
    ...(programs.major >= 18 && { io_method: 'sync' }),
    ...chooseSocketSettings(site),
    ...settings,
  }
  const given = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { command, args, options } = makeSpawnArguments(
    site,
    'postgres',
    ['-D', folder, ...given],
    lockCommand(site),
  )
  // detached: Postgres outlives this process, and Ctrl-C in a terminal does not reach it
  const child = spawn(command, args, {
    ...options,
    detached: true,
    stdio: ['ignore', output, output],
  })
  let failed: Error | undefined
  child.on('error', (error) => {
    failed = error
  })
  child.unref()
  closeSync(output)
  const said = () => readLogTail(logs, logStart)
  /** Whether the start failed because another Postgres uses this cluster, perhaps on another host. */
  const isLocked = () =>
    child.exitCode === LOCKED || /pre-existing shared memory|lock file .* is empty/.test(said())
  return {
    hasEnded: () => failed !== undefined || child.exitCode !== null || child.signalCode !== null,
    isLocked,
    failure: () =>
      isLocked() ? makeInUseError(folder) : explainFailedStart(folder, failed?.message ?? said()),
  }
}

/** Settings of the socket, which only the account of Postgres can use. On Windows: of a local TCP port. */
function chooseSocketSettings({ folder }: Site): PostgresSettings {
  const port = Number(new URL(readClusterUrl(folder)).port)
  if (IS_WINDOWS) return { port, listen_addresses: '127.0.0.1' }
  const quoted = `"${folder.replaceAll('"', '""')}"`
  return {
    port,
    listen_addresses: '',
    unix_socket_directories: quoted,
    unix_socket_permissions: '0700',
  }
}

/** A `flock` command to lock the cluster; [] without flock. Postgres' own check fails across containers. */
function lockCommand({ folder, launch }: Site): string[] {
  const lock = [
    '--nonblock',
    '--no-fork',
    '--conflict-exit-code',
    String(LOCKED),
    join(folder, LOCK),
  ]
  const { status } = spawnSync('flock', [...lock, 'true'], {
    ...launch.account,
    cwd: '/',
    stdio: 'ignore',
  })
  return status === 0 || status === LOCKED ? ['flock', ...lock] : []
}
