import { randomBytes, randomInt } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../api-errors.ts'
import { hasCluster, makeClusterLink, PORT } from './cluster-location.ts'
import { IS_WINDOWS } from './is-windows.ts'
import { tryReadText } from './system-account.ts'

export const ACCESS = 'pocketsms.json'

/** The database role of pocketsms. It owns its database and has no other rights. */
export const DATABASE_ROLE = 'pocketsms'
export const SUPERUSER = 'postgres'

interface Access {
  readonly password: string
  readonly port: number
}

/** The URL of a cluster's database for a role. Throws a UserError if the file of the password is damaged. */
export function readClusterUrl(
  folder: string,
  user: 'pocketsms' | 'postgres' = DATABASE_ROLE,
): string {
  const access = readClusterAccess(folder)
  if (!access)
    throw new UserError(
      `The file ${join(folder, ACCESS)} is damaged. The next start of the server makes a new one.`,
    )
  const { password, port } = access
  const host = IS_WINDOWS ? '127.0.0.1' : 'localhost'
  const url = new URL(`postgres://${user}:${password}@${host}:${port}/${user}`)
  if (!IS_WINDOWS) url.searchParams.set('host', folder)
  return url.href
}

export function readClusterAccess(folder: string): Access | undefined {
  try {
    const { password, port } = JSON.parse(tryReadText(join(folder, ACCESS)) ?? '') as Access
    return /^[0-9a-f]+$/.test(password) && Number.isInteger(port) ? { password, port } : undefined
  } catch {
    return undefined
  }
}

/** The URL of the cluster in a data folder. Throws a UserError if there is none. */
export function readEmbeddedUrl(dataDir: string): string {
  if (!hasCluster(dataDir)) throw new UserError(`There is no pocketsms in the folder ${dataDir}.`)
  return readClusterUrl(realpathSync(makeClusterLink(dataDir)))
}

export const makeAccess = (): Access => ({
  password: randomBytes(24).toString('hex'),
  port: choosePort(),
})

/** The cluster's port. On Windows, without Unix sockets, it must be free: a random one probably is. */
const choosePort = () => (IS_WINDOWS ? randomInt(20_000, 32_000) : PORT)
