import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

/** How a program is started so that Postgres, which refuses root, agrees to run. */
export interface Launch {
  readonly prefix: readonly string[]
  /** Another account; undefined for that of this process. */
  readonly account?: Account
}

export interface Account {
  readonly uid: number
  readonly gid: number
}

/**
 * How the programs run on a cluster of `owner`, or on a new one. Root, and a user without a name, runs them
 * in a user namespace, in which it appears as an ordinary user. Where that is forbidden, as in a default
 * container, root runs them as another account.
 */
export function launchFor(owner: Account | undefined): Launch {
  const isRoot = process.getuid?.() === 0
  if (!isRoot && hasName()) return { prefix: [] }
  if (isRoot && owner && owner.uid !== 0) return { prefix: [], account: owner }
  const account = ordinaryAccount()
  const prefix = ['unshare', '--user', `--map-user=${account.uid}`, `--map-group=${account.gid}`]
  const [program, ...args] = [...prefix, 'true']
  if (spawnSync(program!, args, { stdio: 'ignore' }).status === 0) return { prefix }
  return isRoot ? { prefix: [], account } : { prefix: [] }
}

function hasName(): boolean {
  try {
    return Boolean(userInfo())
  } catch {
    return false
  }
}

/** `postgres`, else `nobody`: initdb needs an account with a name. */
function ordinaryAccount(): Account {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const accounts = lines.map((line) => line.split(':'))
  const found = ['postgres', 'nobody'].map((name) => accounts.find(([known]) => known === name)).find(Boolean)
  return { uid: Number(found?.[2] ?? 65_534), gid: Number(found?.[3] ?? 65_534) }
}
