import pg from 'pg'
import type { EmbeddedData } from '../test/support/database/embedded-data.ts'
import { computed } from './process.ts'

interface Figures {
  /** Hundredths of a second. */
  readonly postgres: number
  readonly server: number
  /** Bytes of the write-ahead log. */
  readonly log: number
}

/** What a server and its embedded Postgres compute and write from a moment on. */
export class Cost {
  readonly #server: number
  readonly #data: EmbeddedData
  readonly #before: Figures

  private constructor(server: number, data: EmbeddedData, before: Figures) {
    this.#server = server
    this.#data = data
    this.#before = before
  }

  /** `server`: its process id. */
  static async begin(server: number, data: EmbeddedData): Promise<Cost> {
    return new Cost(server, data, await read(server, data))
  }

  /** In words, for each of `count` things that were done since then. */
  async per(count: number): Promise<string> {
    const now = await read(this.#server, this.#data)
    const of = (key: keyof Figures) => (now[key] - this.#before[key]) / count
    const ms = (key: keyof Figures) => (of(key) * 10).toFixed(2)
    return `Postgres ${ms('postgres')} ms, server ${ms('server')} ms, log ${(of('log') / 1000).toFixed(1)} kB each`
  }
}

async function read(server: number, data: EmbeddedData): Promise<Figures> {
  const [postmaster = 0, ...children] = data.processes()
  const processes = [computed(postmaster, true), ...children.map((pid) => computed(pid))]
  const client = new pg.Client(data.url)
  await client.connect()
  const { rows } = await client.query<{ at: string }>(`select pg_current_wal_insert_lsn() - '0/0' as at`)
  await client.end()
  return {
    postgres: processes.reduce((sum, ticks) => sum + ticks, 0),
    server: computed(server),
    log: Number(rows[0]!.at),
  }
}
