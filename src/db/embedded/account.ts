import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { UserError } from '../../errors.ts'

/** How to start Postgres' programs, which refuse to run as root. */
export interface Launch {
  readonly prefix: readonly string[]
  readonly account?: Account
}

export interface Account {
  readonly uid: number
  readonly gid: number
}

const NOBODY = 65_534

/**
 * How to run programs on `owner`'s cluster: as this user; for root in a user namespace or, if that is
 * forbidden as in a default container, as another account. Throws a UserError if there is none.
 */
export function launchFor(owner: Account | undefined): Launch {
  const isRoot = process.getuid?.() === 0
  if (!isRoot && hasName()) return { prefix: [] }
  const nobody = accountNamed('nobody') ?? { uid: NOBODY, gid: NOBODY }
  if (isRoot && owner && owner.uid !== 0)
    return { prefix: [], account: owner.uid === nobody.uid ? ownAccount() : owner }
  const { uid, gid } = accountNamed('postgres') ?? nobody
  const prefix = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`]
  const [program, ...args] = [...prefix, 'true']
  if (spawnSync(program!, args, { stdio: 'ignore' }).status === 0) return { prefix }
  return isRoot ? { prefix: [], account: ownAccount() } : { prefix: [] }
}

/** Whether a command succeeds as another account without supplementary groups. */
export function runsAs(account: Account, command: string, args: readonly string[], env = process.env) {
  return spawnSync(command, args, { ...account, env, cwd: '/', stdio: 'ignore' }).status === 0
}

function hasName(): boolean {
  try {
    return Boolean(userInfo())
  } catch {
    return false
  }
}

/** Never `nobody`: other services run as it and could read the database. */
function ownAccount(): Account {
  const found = accountNamed('pocketsms') ?? accountNamed('postgres')
  if (found) return found
  throw new UserError(
    `Postgres does not run as root, and user namespaces are forbidden here. Make an account for it:
  useradd --system --no-create-home --shell /usr/sbin/nologin pocketsms
Or start the server as an ordinary user, or name a running Postgres with DATABASE_URL.`,
  )
}

function accountNamed(name: string): Account | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const found = lines.map((line) => line.split(':')).find(([known]) => known === name)
  return found && { uid: Number(found[2]), gid: Number(found[3]) }
}
