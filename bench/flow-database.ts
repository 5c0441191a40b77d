import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { childrenOf, EmbeddedData, makeDatabase } from '../test/support/database/embedded-data.ts'
import { createDatabase, startPostgres } from '../test/support/database/postgres.ts'

/** A new database with a superuser. */
export interface FlowDatabase {
  /** Settings of a server on it. */
  readonly env: Readonly<Record<string, string>>
  readonly url: string
  /** Ids of the processes of its Postgres, the postmaster first. */
  processes(): number[]
  stop(): Promise<void>
}

/** The database that a server of this checkout embeds in a data folder, and starts. */
export function makeEmbedded(folder: string, home: string): FlowDatabase {
  const data = new EmbeddedData(folder)
  data.make(home)
  return {
    env: data.env,
    get url() {
      return data.url
    },
    processes: () => data.processes(),
    stop: () => data.stop(),
  }
}

/** A database on the installed Postgres, which is started for it. */
export async function makeOutside(home: string): Promise<FlowDatabase> {
  const postgres = await startPostgres({
    settings: { shared_buffers: '512MB', max_wal_size: '4GB' },
  })
  const url = await createDatabase(postgres.url)
  const env = { DATABASE_URL: url, LOG_LEVEL: 'error' }
  makeDatabase(env, home)
  return {
    env,
    url,
    processes() {
      const pid = Number(
        readFileSync(join(postgres.folder, 'data/postmaster.pid'), 'utf8').split('\n')[0],
      )
      return [pid, ...childrenOf(pid)]
    },
    stop: () => postgres.stop(),
  }
}
