import { spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UserError } from '../../errors.ts'
import { hasFiles, readText, remove, writeNew } from './account-files.ts'
import { isAlive, postmasterOf } from './postmaster.ts'
import { clusterLink, commandOf, hasCluster, PORT, type Site } from './site.ts'
import { whyNot } from './why-not.ts'

const ACCESS = 'pocketsms.json'
/** The lock file of a running cluster: see `lockCommand` in start.ts. */
export const LOCK = 'pocketsms.lock'

/** The server's role. It owns its database and has no other rights. */
const ROLE = 'pocketsms'
const SUPERUSER = 'postgres'

interface Access {
  readonly password: string
  readonly port: number
}

/** The URL of a cluster's database. `user`: the server's role, or the superuser. */
export function urlOf(folder: string, user: 'pocketsms' | 'postgres' = ROLE): string {
  const access = accessOf(folder)
  if (!access)
    throw new UserError(
      `The file ${join(folder, ACCESS)} is damaged. The next start of the server makes a new one.`,
    )
  const { password, port } = access
  const host = process.platform === 'win32' ? '127.0.0.1' : 'localhost'
  const url = new URL(`postgres://${user}:${password}@${host}:${port}/${user}`)
  if (process.platform !== 'win32') url.searchParams.set('host', folder)
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

/** Creates the cluster if it is missing, or a new password if the access file is lost. */
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
      `The file ${file} is damaged, so nobody can log in. End the Postgres that runs (kill -INT ${pid}) and start again: the server then makes a new one.`,
    )
  const access = newAccess()
  const roles = [SUPERUSER, ROLE].map((role) => `alter role ${role} password '${access.password}'\n`)
  await runSingle(site, folder, roles.join(''))
  remove(file, launch.account)
  writeNew(file, JSON.stringify(access), launch.account)
}

/** Creates the cluster in a temporary folder and renames it, so that it is complete or missing. */
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
    sync(dirname(folder))
  } finally {
    for (const path of [partial, `${partial}.password`]) remove(path, account)
  }
}

const runSingle = (site: Site, folder: string, sql: string) =>
  run(site, 'postgres', ['--single', '-c', 'exit_on_error=on', '-D', folder, SUPERUSER], sql)

const newAccess = (): Access => ({ password: randomBytes(24).toString('hex'), port: portOf() })

/** The cluster's port. Windows has no Unix sockets: there it is random, so that it is probably free. */
const portOf = () => (process.platform === 'win32' ? randomInt(20_000, 32_000) : PORT)

function removeLeftovers({ folder, launch }: Site): void {
  const start = `${basename(folder)}.new.`
  for (const name of readdirSync(dirname(folder)).filter((one) => one.startsWith(start))) {
    const pid = Number.parseInt(name.slice(start.length), 10)
    if (pid === process.pid || !isAlive(pid)) remove(join(dirname(folder), name), launch.account)
  }
}

function sync(folder: string): void {
  if (process.platform === 'win32') return
  const file = openSync(folder, 'r')
  fsyncSync(file)
  closeSync(file)
}

async function run(site: Site, program: string, args: readonly string[], input = ''): Promise<void> {
  const { command, args: all, options } = commandOf(site, program, args)
  const child = spawn(command, all, { ...options, stdio: ['pipe', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk
  })
  child.stdin.on('error', () => {}).end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw whyNot(site.folder, said)
}
