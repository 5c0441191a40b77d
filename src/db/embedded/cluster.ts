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
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UserError } from '../../errors.ts'
import { readText, remove, writeNew } from './account-files.ts'
import { isAlive } from './postmaster.ts'
import { clusterLink, commandOf, hasCluster, PORT, type Site } from './site.ts'
import { whyNot } from './why-not.ts'

/** How to log in to a cluster. */
const ACCESS = 'pocketsms.json'
/** Held by all processes of a running cluster: see start.ts. */
export const LOCK = 'pocketsms.lock'

/** The server's role owns its database, and has no other rights. */
const ROLE = 'pocketsms'
const SUPERUSER = 'postgres'

interface Access {
  readonly password: string
  readonly port: number
}

/** Where the server finds its database. `user`: the role, or a superuser. */
export function urlOf(folder: string, user: 'pocketsms' | 'postgres' = ROLE): string {
  const { password, port } = JSON.parse(readText(join(folder, ACCESS)) ?? '') as Access
  const host = process.platform === 'win32' ? '127.0.0.1' : 'localhost'
  const url = new URL(`postgres://${user}:${password}@${host}:${port}/${user}`)
  if (process.platform !== 'win32') url.searchParams.set('host', folder)
  return url.href
}

/** The same for a data folder. Throws a UserError where there is none. */
export function embeddedUrl(dataDir: string): string {
  if (!hasCluster(dataDir)) throw new UserError(`There is no pocketsms in the folder ${dataDir}.`)
  return urlOf(realpathSync(clusterLink(dataDir)))
}

/** Makes the cluster if it is not there yet. */
export async function ensureCluster(site: Site): Promise<void> {
  if (!existsSync(site.folder)) await makeCluster(site)
  // a copied folder may have lost the mode that Postgres wants
  else chmodSync(site.folder, 0o700)
}

/** Makes it beside its place, so that there is a whole one or none. */
async function makeCluster(site: Site): Promise<void> {
  const { folder, launch, programs } = site
  const { account } = launch
  removeLeftovers(site)
  const partial = `${folder}.new.${process.pid}`
  const access: Access = { password: randomBytes(24).toString('hex'), port: portOf() }
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
    await run(site, 'postgres', ['--single', '-F', '-D', partial, SUPERUSER], sql)
    writeNew(join(partial, ACCESS), JSON.stringify(access), account)
    writeNew(join(partial, LOCK), '', account)
    // of a thousand files: syncing each by itself may take seconds
    const isQuick = process.platform === 'linux' && programs.major >= 17
    await run(site, 'initdb', ['-D', partial, '-S', ...(isQuick ? ['--sync-method=syncfs'] : [])])
    if (!existsSync(folder)) renameSync(partial, folder)
    sync(dirname(folder))
  } finally {
    for (const path of [partial, `${partial}.password`]) remove(path, account)
  }
}

/** On Windows, which has no sockets for it, a port that is probably free. */
const portOf = () => (process.platform === 'win32' ? randomInt(20_000, 32_000) : PORT)

/** Removes what processes have left behind that were killed while they made a cluster. */
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
