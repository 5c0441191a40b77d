import type pg from 'pg'
import { databaseFault, type Session } from './errors.ts'
import { runStatement } from './pipeline.ts'

/** How long after Postgres' own time limit the driver gives up a statement and drops the connection. */
export const GRACE_MS = 5_000

export type Queryable = Pick<pg.ClientBase, 'query'>

export const guarded = <T>(run: () => Promise<T>): Promise<T> =>
  run().catch((error) => {
    throw databaseFault(error)
  })

/** Wraps a client as a Session. `patienceMs`: the driver's time limit; default: the connection's. */
export const session = (client: Queryable, patienceMs?: () => number | undefined): Session => ({
  query: (text, params, name) => runStatement(client, text, params, name, patienceMs?.()),
  script: (text) =>
    guarded(async () => void (await client.query({ text, query_timeout: patienceMs?.() } as pg.QueryConfig))),
})
