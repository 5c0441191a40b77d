import { spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  fchownSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { UserError } from '../../api-errors.ts'

/** How to start Postgres' programs, which refuse to run as root. */
export interface ProcessIdentity {
  readonly prefix: readonly string[]
  readonly account?: Account
}

export interface Account {
  readonly uid: number
  readonly gid: number
}

const NOBODY = 65_534

/**
 * How to run Postgres' programs on the cluster of `owner`. An ordinary user runs them directly. Root runs
 * them as `owner`, else in a user namespace, else (most containers forbid namespaces) as another account.
 * Throws a UserError if there is no such account.
 */
export function chooseProcessIdentity(owner: Account | undefined): ProcessIdentity {
  const isRoot = process.getuid?.() === 0
  if (!isRoot && hasAccountName()) return { prefix: [] }
  const nobody = findAccountNamed('nobody') ?? { uid: NOBODY, gid: NOBODY }
  if (isRoot && owner && owner.uid !== 0)
    return { prefix: [], account: owner.uid === nobody.uid ? findOwnAccount() : owner }
  const { uid, gid } = findAccountNamed('postgres') ?? nobody
  const prefix = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`]
  const [program, ...args] = [...prefix, 'true']
  if (spawnSync(program!, args, { stdio: 'ignore' }).status === 0) return { prefix }
  return isRoot ? { prefix: [], account: findOwnAccount() } : { prefix: [] }
}

/** Whether a command succeeds when run as the account, without supplementary groups. */
export function tryCommandAs(
  account: Account,
  command: string,
  args: readonly string[],
  env = process.env,
) {
  return spawnSync(command, args, { ...account, env, cwd: '/', stdio: 'ignore' }).status === 0
}

function hasAccountName(): boolean {
  try {
    return Boolean(userInfo())
  } catch {
    return false
  }
}

/** The account that runs Postgres for root. Never `nobody`: other services use it and could read the data. */
function findOwnAccount(): Account {
  const found = findAccountNamed('pocketsms') ?? findAccountNamed('postgres')
  if (found) return found
  throw new UserError(
    `Postgres does not run as root, and user namespaces are forbidden here. Make an account for it:
  useradd --system --no-create-home --shell /usr/sbin/nologin pocketsms
Or start the server as an ordinary user, or name a running Postgres with DATABASE_URL.`,
  )
}

function findAccountNamed(name: string): Account | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const found = lines.map((line) => line.split(':')).find(([known]) => known === name)
  return found && { uid: Number(found[2]), gid: Number(found[3]) }
}

// Root uses the functions below in folders of Postgres' account. They follow no symbolic links made there.

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants

/** The text of a file; undefined if it is unreadable or a symbolic link. Does not block on a named pipe. */
export function tryReadText(path: string): string | undefined {
  let file: number | undefined
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Whether a folder contains files; true if this process may not read it. */
export function hasAnyFile(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** Writes a new file and gives it to the account. Throws EEXIST if the path has a file or link. */
export function createTextFile(path: string, text: string, account: Account | undefined): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    if (account) fchownSync(file, account.uid, account.gid)
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/** Removes a file or folder. A folder's content is deleted by the account: links in it may lead elsewhere. */
export function removePath(path: string, account: Account | undefined): void {
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory()
  if (!account || !isFolder) rmSync(path, { recursive: true, force: true })
  else {
    tryCommandAs(account, 'rm', ['-rf', path])
    rmdirSync(path)
  }
}

export const findClosedFolder = (folder: string, account: Account): string | undefined =>
  listFoldersTo(folder).find((path) => !tryCommandAs(account, 'test', ['-x', path]))

/** The first folder on the path from `/` in which the account may replace others' files, if there is one. */
export const findChangeableFolder = (folder: string, account: Account): string | undefined =>
  listFoldersTo(folder).find((path) => {
    const { uid, mode } = statSync(path)
    return (
      uid === account.uid || ((mode & 0o1000) === 0 && tryCommandAs(account, 'test', ['-w', path]))
    )
  })

/** The folder, or the first file in it, that belongs to a different user than this process, if any. */
export function findForeignFile(folder: string): string | undefined {
  if (!lstatSync(folder, { throwIfNoEntry: false })) return undefined
  const isForeign = (path: string) => lstatSync(path).uid !== process.getuid?.()
  if (isForeign(folder)) return folder
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .find(isForeign)
}

function listFoldersTo(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [...listFoldersTo(above), folder]
}
