import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Account,
  accountOf,
  awaitServer,
  findPostgres,
  freePort,
  initialise,
} from '../support/database/postgres.ts'

/**
 * A Postgres whose files are in a folder of the caller's, and whose processes can be stopped and killed.
 * Started by root.
 */
export class PostgresOnDisk {
  readonly url: string
  readonly #bin: string
  readonly #folder: string
  readonly #account: Account
  readonly #port: number
  #server: ChildProcess | undefined

  private constructor(bin: string, folder: string, account: Account, port: number, password: string) {
    this.url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    this.#bin = bin
    this.#folder = folder
    this.#account = account
    this.#port = port
  }

  static async start(parent: string): Promise<PostgresOnDisk> {
    const bin = findPostgres()
    if (!bin) throw new Error('No Postgres is installed.')
    const account = accountOf('postgres')
    const folder = join(parent, 'postgres')
    mkdirSync(folder)
    chownSync(parent, account.uid, account.gid)
    chownSync(folder, account.uid, account.gid)
    const password = initialise(bin, folder, account)
    execFileSync('sync') // the cluster was made without syncing
    const postgres = new PostgresOnDisk(bin, folder, account, await freePort(), password)
    await postgres.launch()
    return postgres
  }

  /** Resolves when it answers. */
  async launch(): Promise<void> {
    const options = [`port=${this.#port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
    const args = ['-D', join(this.#folder, 'data'), ...options.flatMap((option) => ['-c', option])]
    this.#server = spawn(join(this.#bin, 'postgres'), args, {
      ...this.#account,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await awaitServer(this.#server, this.url)
  }

  /** The one that starts others comes first: once it is stopped there are no new ones. */
  processes(): number[] {
    const pid = this.#server!.pid!
    const list = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    return [pid, ...list.split('\n').filter(Boolean).map(Number)]
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#server?.once('exit', resolve))
    if (this.#server?.exitCode !== null) return
    this.#server.kill('SIGINT')
    await ended
  }
}
