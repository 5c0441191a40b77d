import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { UserError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { type Account, type Launch, launchFor } from './account.ts'
import { findPrograms, linkLibraries, type Programs, programIn } from './programs.ts'

/** Programs and clusters that root runs as another account, where their own folders are closed to it. */
const OPEN_FOLDER = '/var/lib/pocketsms'
/** Bytes of a socket's path, without the zero at its end. unix(7); macOS takes four less. */
const MAX_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107
export const PORT = 5432

export interface Site {
  /** The cluster's files, and its socket. */
  readonly folder: string
  /** DATA_DIR/postgres: the same, or a link to it. */
  readonly link: string
  readonly launch: Launch
  readonly programs: Programs
}

export const clusterLink = (dataDir: string): string => join(resolve(dataDir), 'postgres')

export const hasCluster = (dataDir: string): boolean => existsSync(clusterLink(dataDir))

/** Finds out how the cluster of a data folder is run. Throws a UserError if it cannot be. */
export function findSite(dataDir: string, log: Logger): Site {
  mkdirSync(dataDir, { recursive: true })
  const link = clusterLink(realpathSync(dataDir))
  const owner = ownerOf(link)
  const launch = launchFor(owner)
  const programs = findPrograms(join(dirname(link), 'postgres-lib'))
  const site = { folder: owner ? realpathSync(link) : link, link, launch, programs }
  const { account } = launch
  const isClosed = account && [dirname(site.folder), programs.bin].some(isClosedToOthers)
  const chosen = isClosed ? inOpenFolder(site, owner, log) : site
  if (owner?.uid === 0 && account)
    execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, chosen.folder])
  checkSocketPath(chosen.folder)
  return chosen
}

/** Undefined where there is no cluster yet. Throws a UserError if it is another user's. */
function ownerOf(link: string): Account | undefined {
  if (!lstatSync(link, { throwIfNoEntry: false })) return undefined
  const found = statSync(link, { throwIfNoEntry: false })
  if (!found) throw new UserError(`The database was in the folder that ${link} links to, which is gone.`)
  const { uid, gid } = found
  const own = process.getuid?.()
  if (own && uid !== own)
    throw new UserError(
      `The database in ${link} belongs to the user with the number ${uid}. Start the server as that user, or choose another DATA_DIR.`,
    )
  return { uid, gid }
}

function isClosedToOthers(folder: string): boolean {
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) return true
    if (path === dirname(path)) return false
  }
}

function inOpenFolder(site: Site, owner: Account | undefined, log: Logger): Site {
  if (owner?.uid === 0 && isClosedToOthers(dirname(site.folder)))
    throw new UserError(
      `The database in ${site.folder} is root's, in a folder closed to others. Postgres does not run as root, and user namespaces are forbidden here: move the data folder to a place that others may enter.`,
    )
  const name = createHash('sha256').update(site.link).digest('hex').slice(0, 8)
  const folder = owner ? site.folder : join(OPEN_FOLDER, name)
  mkdirSync(OPEN_FOLDER, { recursive: true })
  chmodSync(OPEN_FOLDER, 0o755)
  log.warn(`Postgres does not run as root: its programs and the database are in ${OPEN_FOLDER}`)
  return { ...site, folder, programs: copyPrograms(site.programs) }
}

/** Copies programs to where other accounts may run them. */
function copyPrograms(programs: Programs): Programs {
  const folder = join(OPEN_FOLDER, `programs-${programs.version}`)
  if (!existsSync(folder)) {
    const partial = `${folder}.${process.pid}`
    rmSync(partial, { recursive: true, force: true })
    cpSync(dirname(programs.bin), join(partial, 'native'), { recursive: true })
    execFileSync('chmod', ['-R', 'a+rX', partial])
    if (!existsSync(folder)) renameSync(partial, folder)
  }
  const packed = join(folder, 'native')
  return { ...programs, bin: join(packed, 'bin'), env: linkLibraries(packed, join(folder, 'lib')) }
}

function checkSocketPath(folder: string): void {
  if (process.platform === 'win32') return
  const bytes = Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`))
  if (bytes > MAX_SOCKET_PATH)
    throw new UserError(
      `The path of the data folder is too long for Postgres' socket in it, by ${bytes - MAX_SOCKET_PATH} bytes: choose a shorter DATA_DIR.`,
    )
}

/** A command as spawn takes it: one of Postgres' programs, in an environment without settings of psql's. */
export function commandOf(
  { launch, programs }: Site,
  program: string,
  args: readonly string[],
  before: readonly string[] = [],
) {
  const [command, ...rest] = [...launch.prefix, ...before, programIn(programs.bin, program), ...args]
  const { PATH = '', SystemRoot = '', TEMP = '' } = process.env
  const windows = process.platform === 'win32' ? { SystemRoot, TEMP } : {}
  // TZ: initdb would search half a second for the name of the local zone
  const env = { PATH, ...windows, ...programs.env, TZ: 'UTC', LC_ALL: 'C' }
  return { command: command!, args: rest, options: { ...launch.account, env, cwd: '/', windowsHide: true } }
}
