import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { UserError } from '../../api-errors.ts'
import type { Logger } from '../../log.ts'
import { LIBRARIES, LOGS, makeClusterLink, PORT, type Site } from './cluster-location.ts'
import { choosePrograms } from './cluster-programs.ts'
import { IS_WINDOWS } from './is-windows.ts'
import { checkFolders, prepareForAccount } from './run-as-root.ts'
import { type Account, chooseProcessIdentity, hasAnyFile } from './system-account.ts'

/** Maximum bytes of a socket's path, without the zero at its end. unix(7); macOS allows four less. */
const MAX_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107

/** Determines how to run the cluster of a data folder. Throws a UserError if it cannot run. */
export function findSite(dataDir: string, log: Logger): Site {
  makeDataFolder(dataDir)
  const link = makeClusterLink(realpathSync(dataDir))
  const owner = findClusterOwner(link)
  const launch = chooseProcessIdentity(owner)
  const folder = existsSync(link) ? realpathSync(link) : link
  checkSocketPath(folder)
  if (launch.account) checkFolders(folder, link, launch.account)
  const [libraries, logs] = [LIBRARIES, LOGS].map((name) => join(dirname(link), name)) as [
    string,
    string,
  ]
  const site = {
    folder,
    link,
    launch,
    programs: choosePrograms(folder, link, libraries, log),
    logs,
  }
  return launch.account ? prepareForAccount(site, launch.account, owner, log) : site
}

/** Owner of an existing cluster. Throws a UserError if this process runs as neither that owner nor root. */
function findClusterOwner(link: string): Account | undefined {
  if (!lstatSync(link, { throwIfNoEntry: false })) return undefined
  const found = statSync(link, { throwIfNoEntry: false })
  if (!found)
    throw new UserError(`The database was in the folder that ${link} links to, which is gone.`)
  const { uid, gid } = found
  const own = process.getuid?.()
  if (own && uid !== own)
    throw new UserError(
      `The database in ${link} belongs to the user with the number ${uid}. Start the server as that user, or choose another DATA_DIR.`,
    )
  return hasAnyFile(link) ? { uid, gid } : undefined
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

function checkSocketPath(folder: string): void {
  const bytes = Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`))
  if (!IS_WINDOWS && bytes > MAX_SOCKET_PATH)
    throw new UserError(
      `The path of the data folder is too long for Postgres' socket in it, by ${bytes - MAX_SOCKET_PATH} bytes: choose a shorter DATA_DIR.`,
    )
}
