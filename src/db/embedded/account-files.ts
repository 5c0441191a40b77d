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
import { dirname, join } from 'node:path'
import { type Account, runsAs } from './account.ts'

// Root's access to a folder of the account that runs Postgres. These functions follow no link that the
// account may have put there.

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants

/** The text of a file; undefined if it is missing or a symbolic link. Does not block on a named pipe. */
export function readText(path: string): string | undefined {
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

/** Whether a folder has files; true if this process may not read it. */
export function hasFiles(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** Writes a new file owned by the account. Throws EEXIST if a file or link exists. */
export function writeNew(path: string, text: string, account: Account | undefined): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    if (account) fchownSync(file, account.uid, account.gid)
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/** Removes a folder or file. Deletes a folder's content as the account, which may put links there. */
export function remove(path: string, account: Account | undefined): void {
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory()
  if (!account || !isFolder) rmSync(path, { recursive: true, force: true })
  else {
    runsAs(account, 'rm', ['-rf', path])
    rmdirSync(path)
  }
}

export const closedFolder = (folder: string, account: Account): string | undefined =>
  pathTo(folder).find((path) => !runsAs(account, 'test', ['-x', path]))

/** The first folder from `/` to this one in which the account may replace others' files, if any. */
export const changeableFolder = (folder: string, account: Account): string | undefined =>
  pathTo(folder).find((path) => {
    const { uid, mode } = statSync(path)
    return uid === account.uid || ((mode & 0o1000) === 0 && runsAs(account, 'test', ['-w', path]))
  })

/** The first file of a folder, itself included, that is not this process's own; undefined if none. */
export function foreignFile(folder: string): string | undefined {
  if (!lstatSync(folder, { throwIfNoEntry: false })) return undefined
  const isForeign = (path: string) => lstatSync(path).uid !== process.getuid?.()
  if (isForeign(folder)) return folder
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .find(isForeign)
}

function pathTo(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [...pathTo(above), folder]
}
