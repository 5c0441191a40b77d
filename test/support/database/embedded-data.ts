import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readEmbeddedUrl } from '../../../src/platform/db/embedded/cluster-access.ts'
import { endPostmaster, findPostmaster } from '../../../src/platform/db/embedded/postmaster.ts'
import { PROGRAM_HOME } from '../server/program-files.ts'
import { SUPERUSER } from '../server/start.ts'

/** A data folder whose Postgres servers start, and which a scenario kills. */
export class EmbeddedData {
  /** Settings of a server on it. */
  readonly env: Readonly<Record<string, string>>
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.env = { DATABASE_URL: '', DATA_DIR: folder, LOG_LEVEL: 'error' }
  }

  /** Makes the database, with a superuser. `home`: the folder of another version. */
  make(home?: string): void {
    makeDatabase(this.env, home)
  }

  get url(): string {
    return readEmbeddedUrl(this.#folder)
  }

  /** Ids of its processes, the postmaster first; none when it does not run. */
  processes(): number[] {
    const postmaster = findPostmaster(this.#cluster)
    return postmaster ? [postmaster, ...childrenOf(postmaster)] : []
  }

  async stop(): Promise<void> {
    await endPostmaster(this.#cluster)
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #cluster(): string {
    return realpathSync(join(this.#folder, 'postgres'))
  }
}

/** Makes what a server needs in the database that `env` names, with a superuser. */
export function makeDatabase(env: Readonly<Record<string, string>>, home = PROGRAM_HOME): void {
  const args = [
    join(home, 'bin/pocketsms.js'),
    'superuser',
    'upsert',
    SUPERUSER.email,
    SUPERUSER.password,
  ]
  execFileSync(process.execPath, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
}

/** Child processes. proc(5), /proc/pid/task/tid/children */
export function childrenOf(pid: number): number[] {
  const lists = globSync(`/proc/${pid}/task/*/children`).map((path) => readFileSync(path, 'utf8'))
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}
