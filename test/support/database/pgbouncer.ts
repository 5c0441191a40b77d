import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { accountOf, freePort, onServer, PLAIN_ROLE } from './postgres.ts'

const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url))
const START_MS = 10_000

/** How long a connection to Postgres is a client's. */
export type PoolMode = 'session' | 'transaction'

/** Why tests cannot run through PgBouncer here; undefined where they can. */
export function whyNoPgBouncer(): string | undefined {
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' })
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '') ?? []
  if (!major) return 'PgBouncer is not installed'
  return Number(major) === 1 && Number(minor) < 21 ? 'PgBouncer is older than 1.21' : undefined
}

/** A PgBouncer with the file of deploy/ before the Postgres of a URL, as the superuser `url` leads to. */
export async function startPgBouncer(
  url: string,
  mode: PoolMode,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const target = new URL(url)
  const owner = process.getuid?.() === 0 ? accountOf('postgres') : undefined
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-pgbouncer-'))
  const port = await freePort()
  const users = join(folder, 'userlist.txt')
  const ini = readFileSync(join(DEPLOY, 'pgbouncer.ini'), 'utf8')
    .replace('port=5432', `port=${target.port}`)
    .replace('6432\nauth', `${port}\nauth`)
    .replace('/etc/pgbouncer/userlist.txt', users)
    .replace('pool_mode = transaction', `pool_mode = ${mode}`)
  writeFileSync(join(folder, 'pgbouncer.ini'), ini)
  writeFileSync(
    users,
    [target.username, PLAIN_ROLE].map((name) => `"${name}" "${target.password}"\n`).join(''),
  )
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const child = spawn('pgbouncer', ['-q', join(folder, 'pgbouncer.ini')], {
    ...owner,
    stdio: 'ignore',
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    process.off('exit', kill)
    kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  const through = Object.assign(new URL(url), { port: String(port) }).href
  for (const end = Date.now() + START_MS; ; await sleep(50)) {
    const error = await onServer(through, '').catch((reason: Error) => reason)
    // it answers, whatever it says of a Postgres that is away
    if (!(error instanceof Error && 'syscall' in error)) return { port, stop }
    if (Date.now() < end) continue
    await stop()
    throw new Error('PgBouncer did not start.', { cause: error })
  }
}

/** Sets for the plain role what PgBouncer does not pass on. */
export async function setPooledRole(url: string): Promise<void> {
  const sql = readFileSync(join(DEPLOY, 'pgbouncer.sql'), 'utf8')
  await onServer(url, sql.replaceAll('role pocketsms', `role ${PLAIN_ROLE}`))
}
