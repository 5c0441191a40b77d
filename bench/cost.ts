import pg from 'pg'
import type { FlowDatabase } from './flow-database.ts'
import { computed } from './process.ts'

interface Figures {
  /** Hundredths of a second. */
  readonly postgres: number
  readonly server: number
  /** Bytes of the write-ahead log. */
  readonly log: number
}

/** What servers and their Postgres compute and write from a moment on. */
export class Cost {
  readonly #servers: readonly number[]
  readonly #data: FlowDatabase
  readonly #before: Figures

  private constructor(servers: readonly number[], data: FlowDatabase, before: Figures) {
    this.#servers = servers
    this.#data = data
    this.#before = before
  }

  /** `servers`: their process ids. */
  static async begin(servers: readonly number[], data: FlowDatabase): Promise<Cost> {
    return new Cost(servers, data, await read(servers, data))
  }

  /** In words, for each of `count` things that were done since then. */
  async per(count: number): Promise<string> {
    const now = await read(this.#servers, this.#data)
    const of = (key: keyof Figures) => (now[key] - this.#before[key]) / count
    const ms = (key: keyof Figures) => (of(key) * 10).toFixed(2)
    return `Postgres ${ms('postgres')} ms, server ${ms('server')} ms, log ${(of('log') / 1000).toFixed(1)} kB each`
  }
}

async function read(servers: readonly number[], data: FlowDatabase): Promise<Figures> {
  const [postmaster = 0, ...children] = data.processes()
  const processes = [computed(postmaster, true), ...children.map((pid) => computed(pid))]
  const client = new pg.Client(data.url)
  await client.connect()
  const { rows } = await client.query<{ at: string }>(
    `select pg_current_wal_insert_lsn() - '0/0' as at`,
  )
  await client.end()
  return {
    postgres: processes.reduce((sum, ticks) => sum + ticks, 0),
    server: servers.reduce((sum, pid) => sum + computed(pid), 0),
    log: Number(rows[0]!.at),
  }
}
