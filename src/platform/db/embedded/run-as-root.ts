import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { UserError } from '../../api-errors.ts'
import type { Logger } from '../../log.ts'
import { LIBRARIES, LOGS, type Site } from './cluster-location.ts'
import { linkLibraries, makeProgramPath, type Programs } from './find-programs.ts'
import {
  type Account,
  findChangeableFolder,
  findClosedFolder,
  findForeignFile,
  tryCommandAs,
} from './system-account.ts'

/** Folder for copies of Postgres' programs if the account of Postgres may not read the originals. */
const OPEN_FOLDER = '/var/cache/pocketsms'

/** Prepares a cluster that root runs as `account`: hands over the files, copies unreadable programs. */
export function prepareForAccount(
  site: Site,
  account: Account,
  owner: Account | undefined,
  log: Logger,
): Site {
  const { folder, link } = site
  if (folder !== link)
    log.warn(`The database is in ${folder}, to which ${link} links: a copy of the link is no copy`)
  if (owner && owner.uid !== account.uid)
    execFileSync('chown', ['-hR', `${account.uid}:${account.gid}`, folder])
  const { bin, env } = site.programs
  const canRun = tryCommandAs(account, makeProgramPath(bin, 'postgres'), ['--version'], {
    ...process.env,
    ...env,
  })
  return canRun ? site : { ...site, programs: copyPrograms(site.programs) }
}

/** Throws a UserError if the account may not enter the folders, or may replace root's files in them. */
export function checkFolders(folder: string, link: string, account: Account): void {
  const closed = findClosedFolder(dirname(folder), account)
  if (closed)
    throw new UserError(
      `Postgres does not run as root, and its account (number ${account.uid}) may not enter ${closed}. Choose another DATA_DIR, such as /var/lib/pocketsms, or start the server as an ordinary user, or name a running Postgres with DATABASE_URL.`,
    )
  const changeable = [link, folder]
    .map((path) => findChangeableFolder(dirname(path), account))
    .find(Boolean)
  if (changeable)
    throw new UserError(
      `The account that runs Postgres for root (number ${account.uid}) may change ${changeable}, and with it root's files there. Make it root's (chown root: ${changeable}; chmod 755 ${changeable}), choose another DATA_DIR, or start the server as an ordinary user.`,
    )
  const planted = [LIBRARIES, LOGS]
    .map((name) => findForeignFile(join(dirname(link), name)))
    .find(Boolean)
  if (planted)
    throw new UserError(`${planted} is not root's. Remove it: the server makes a new one.`)
}

function copyPrograms(programs: Programs): Programs {
  const folder = join(OPEN_FOLDER, `programs-${programs.version}`)
  mkdirSync(OPEN_FOLDER, { recursive: true })
  if (statSync(OPEN_FOLDER).uid !== 0)
    throw new UserError(`The folder ${OPEN_FOLDER} must be root's.`)
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
