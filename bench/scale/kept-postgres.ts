import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import {
  accountOf,
  awaitServer,
  findPostgres,
  freePort,
  initialise,
  type TemporaryPostgres,
} from '../../test/support/database/postgres.ts'

const STOP_MS = 120_000

/** As for a server with 4 GB of memory: Postgres' own defaults are for a tenth of that. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '1GB',
  max_wal_size: '4GB',
}

/**
 * A Postgres whose data stays in `folder` when it stops. Run by root it runs as the account `postgres`, which
 * must be able to reach the folder. Throws when Postgres is not installed or does not start.
 */
export async function startKeptPostgres(
  folder: string,
): Promise<Pick<TemporaryPostgres, 'url' | 'version' | 'stop'>> {
  const bin = findPostgres()
  if (!bin)
    throw new Error(
      'No Postgres is installed (looked at PG_BIN, /usr/lib/postgresql and the PATH).',
    )
  const owner = process.getuid?.() === 0 ? accountOf('postgres') : undefined
  mkdirSync(folder, { recursive: true })
  if (owner) chownSync(folder, owner.uid, owner.gid)
  if (!existsSync(join(folder, 'data', 'PG_VERSION'))) initialise(bin, folder, owner)
  const password = readFileSync(join(folder, 'password'), 'utf8').trim()
  const port = await freePort()
  const settings = Object.entries({ port, ...SETTINGS }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const server = spawn(join(bin, 'postgres'), ['-D', join(folder, 'data'), ...settings], {
    ...owner,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const stop = async () => {
    if (server.exitCode !== null) return
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGINT')
    const impatient = setTimeout(() => server.kill('SIGQUIT'), STOP_MS)
    await ended
    clearTimeout(impatient)
  }
  try {
    return { url, version: await awaitServer(server, url), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Bytes that are free where `folder` is or will be. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
