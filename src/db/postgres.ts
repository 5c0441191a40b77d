import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import pg from 'pg'
import type { Logger } from '../log.ts'
import { serialQueue } from '../tools/repeat.ts'
import {
  type Backend,
  DatabaseLocked,
  DatabaseUnavailable,
  databaseFault,
  type Session,
  type TransactionSession,
} from './errors.ts'
import { clientsOf } from './hosts.ts'
import { collectAnnouncements, openListener } from './listener.ts'
import { openPipeline, runStatement } from './pipeline.ts'

/**
 * Planner settings for short statements on data in memory. No parallel workers: they start slowly. Random
 * reads cost no more than sequential ones. No JIT: compilation alone took 700 ms of a count.
 */
const SERVER_PLANNER = {
  max_parallel_workers_per_gather: 0,
  random_page_cost: 1,
  jit: 'off',
  // with Postgres' 4 MB, a search in 10 million messages reads rows again and takes 18 s instead of 0.6
  work_mem: '32MB',
} as const

/**
 * Generic plans from the start: with old statistics, the first five executions would read all messages of a
 * user (250 ms). No sorts: Postgres could sort 30,000 messages (9 ms) instead of using an ordered index.
 */
const LOOK_UP_PLANNER = {
  ...SERVER_PLANNER,
  plan_cache_mode: 'force_generic_plan',
  enable_sort: 'off',
} as const

const INT8 = 20
const JSON_OID = 114
const asText = (text: string) => text

/** Parsers of values by their Postgres type. `Session` lists the results. */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return Number
    if (oid === JSON_OID) return asText
    return pg.types.getTypeParser(oid, format)
  },
}

/** Longest wait for a lock: while a table is changed, requests for it must not take all connections. */
const LOCK_TIMEOUT_MS = 10_000
/** Time limit of a statement. PocketBase has the same, and then answers 400. */
const STATEMENT_TIMEOUT_MS = 30_000
const LOOK_UP_MS = 1_000
/** Postgres ends a transaction idle for this long: a proxy may keep the connection of a lost client open. */
const IDLE_TRANSACTION_MS = 60_000
/** A connection is replaced after this time, to free its prepared statements. */
const LIFETIME_MS = 3_600_000
/** How long after Postgres' own time limit the driver gives up a statement and drops the connection. */
const GRACE_MS = 5_000
const CONNECT_MS = 10_000
const KEEP_ALIVE_MS = 10_000
/** nice(2) value of embedded Postgres' backends that run clients' own filters and sorts. */
const CLIENT_NICENESS = 10
/** The driver's longest time limit, 24 days. */
const NO_LIMIT_MS = 2 ** 31 - 1

const END_OTHERS = `
select pg_terminate_backend(pid) from pg_stat_activity
where datname = current_database() and usename = current_user and application_name like 'pocketsms%'
  and pid <> pg_backend_pid()`

/** For this application_name, the SQL function `_announce` raises notices; for others it uses NOTIFY. */
const SERVER_NAME = 'pocketsms server'

type Queryable = Pick<pg.ClientBase, 'query'>

const guarded = <T>(run: () => Promise<T>): Promise<T> =>
  run().catch((error) => {
    throw databaseFault(error)
  })

/** Wraps a client as a Session. `patienceMs`: the driver's time limit; default: the connection's. */
const session = (client: Queryable, patienceMs?: () => number | undefined): Session => ({
  query: (text, params, name) => runStatement(client, text, params, name, patienceMs?.()),
  script: (text) =>
    guarded(async () => void (await client.query({ text, query_timeout: patienceMs?.() } as pg.QueryConfig))),
})

function yieldProcessor(client: pg.PoolClient & { readonly processID?: number }): void {
  try {
    setPriority(client.processID!, CLIENT_NICENESS)
    // Linux also shares the CPU between autogroups (Unix sessions), one for each backend: sched(7)
    writeFileSync(`/proc/${client.processID}/autogroup`, String(CLIENT_NICENESS))
  } catch {
    // the backend has ended, or the system does not allow this
  }
}

const optionsOf = (settings: Readonly<Record<string, string | number>>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

export type Admission = (session: Session) => Promise<void>

/** Connections for the server's statements, and for those with clients' filters (time limit `clientMs`). */
export interface PoolSize {
  readonly ofServer: number
  readonly ofClients: number
  readonly clientMs: number
}

interface PostgresOptions {
  /** Checks each new connection. If set, this process passes on the announcements of SQL functions. */
  readonly admit?: Admission | undefined
  readonly listenUrl?: string
  readonly isReplica?: boolean
  readonly isEmbedded?: boolean
}

/** Opens connection pools. They connect on first use, and again if a connection is lost or goes silent. */
export function openPostgres(
  url: string,
  size: PoolSize,
  log: Logger,
  { admit, listenUrl = url, isReplica = false, isEmbedded = false }: PostgresOptions = {},
): Backend {
  const connection = {
    types,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }
  const settings: pg.ClientConfig = {
    ...connection,
    connectionString: url,
    lock_timeout: LOCK_TIMEOUT_MS,
    options: optionsOf({ ...SERVER_PLANNER, idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS }),
    application_name: admit && !isReplica ? SERVER_NAME : 'pocketsms',
  }
  const primary = clientsOf(url)
  const Client = isReplica ? pg.Client : primary.Client
  const onConnect = admit && ((client: pg.ClientBase) => admit(session(client)))
  const limitedTo = (ms: number) => ({ statement_timeout: ms, query_timeout: ms + GRACE_MS })
  const openPool = (max: number, limitMs: number) => {
    const made = new pg.Pool({
      ...settings,
      ...limitedTo(limitMs),
      Client,
      max,
      maxLifetimeSeconds: LIFETIME_MS / 1000,
      onConnect: onConnect as pg.PoolConfig['onConnect'],
    })
    // a connection lost within a transaction needs no handling: the next statement fails
    made.on('connect', (client) => client.on('error', () => {}))
    made.on('error', (error) => {
      // `end` resolves before connections are closed, and an embedded Postgres may close them first
      if (!made.ending) log.warn({ err: error }, 'lost an idle database connection')
    })
    return made
  }
  const pool = openPool(size.ofServer, STATEMENT_TIMEOUT_MS)
  const ofClients = openPool(size.ofClients, size.clientMs)
  if (isEmbedded) ofClients.on('connect', yieldProcessor)
  // the driver's time limit is longer than Postgres', because a statement may wait behind slow ones
  const limits = { ...limitedTo(STATEMENT_TIMEOUT_MS), statement_timeout: LOOK_UP_MS }
  const lookUps = { ...settings, ...limits, options: optionsOf(LOOK_UP_PLANNER) }
  const shared = session(pool as Queryable)
  const open = () => new Client({ ...lookUps, pipeline: true })
  const pipeline = openPipeline(open, LIFETIME_MS, onConnect, shared.query)
  const Direct = listenUrl === url ? Client : clientsOf(listenUrl).Client
  const direct = { ...connection, connectionString: listenUrl }
  const unhurried = longWork(() => new Direct({ ...direct, application_name: 'pocketsms long work' }))
  const listening = () =>
    new Direct({ ...direct, query_timeout: CONNECT_MS, application_name: 'pocketsms listen' })
  const listener = openListener(listening, shared.query, primary.abandon, log)
  const forget = collectAnnouncements(pool, listener.announce)
  return {
    ...shared,
    lookUp: pipeline.query,
    clientQuery: session(ofClients as Queryable).query,
    transaction: (work) => transact(pool, work, forget),
    unhurried: unhurried.query,
    listen: listener.listen,
    announce: listener.announce,
    hears: listener.hears,
    use: () => ({
      busy: pool.totalCount - pool.idleCount + ofClients.totalCount - ofClients.idleCount,
      idle: pool.idleCount + ofClients.idleCount,
      waiting: pool.waitingCount + ofClients.waitingCount,
    }),
    close: async () =>
      void (await Promise.all([
        listener.close(),
        pool.end(),
        ofClients.end(),
        pipeline.close(),
        unhurried.close(),
      ])),
  }
}

async function transact<T>(
  pool: pg.Pool,
  work: (session: TransactionSession) => Promise<T>,
  failed: (client: pg.PoolClient) => void,
): Promise<T> {
  const client = await guarded(() => pool.connect())
  let patienceMs: number | undefined
  const inside = session(client, () => patienceMs)
  const queue = serialQueue()
  let isOver = false
  let hasFailed = false
  try {
    await inside.query('begin')
    // statements queued after a failure must not run in the connection's next transaction
    const inTurn = <R>(send: () => Promise<R>) =>
      queue(() => {
        if (hasFailed) throw new Error('The transaction is over')
        return send()
      })
    const ordered: TransactionSession = {
      query: (...statement) => inTurn(() => inside.query(...statement)),
      script: (text) => inTurn(() => inside.script(text)),
      async limit(ms) {
        patienceMs = ms === 0 ? NO_LIMIT_MS : ms + GRACE_MS
        await ordered.query(`select set_config('statement_timeout', $1, true)`, [String(ms)])
        if (ms === 0) await ordered.script('set local lock_timeout = 0')
      },
      async endOthers() {
        // ends this connection too: its cached plans may not fit the new tables
        isOver = true
        await ordered.query(END_OTHERS)
      },
    }
    const result = await work(ordered)
    await inside.query('commit')
    return result
  } catch (error) {
    hasFailed = true
    isOver ||= error instanceof DatabaseUnavailable && !(error instanceof DatabaseLocked)
    if (!isOver) await inside.query('rollback').catch(() => (isOver = true))
    failed(client)
    throw error
  } finally {
    client.release(isOver)
  }
}

/** Runs each statement on its own connection. Postgres finishes running statements even after `close`. */
function longWork(open: () => pg.Client) {
  const clients = new Set<pg.Client>()
  return {
    query: (text: string) =>
      guarded(async () => {
        const client = open()
        client.on('error', () => {}) // a running statement reports the error
        clients.add(client)
        try {
          await client.connect()
          await client.query('set statement_timeout = 0; set lock_timeout = 0')
          return await runStatement(client, text)
        } finally {
          clients.delete(client)
          await client.end()
        }
      }),
    close: () => Promise.all([...clients].map((client) => client.end())),
  }
}
