import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import pg from 'pg'
import type { Logger } from '../log.ts'
import type { Backend, DbSession } from './backend.ts'
import { makeFailoverClients } from './failover-hosts.ts'
import { collectAnnouncements, openListener } from './listener.ts'
import { openPipeline } from './pipeline.ts'
import {
  GRACE_MS,
  makeDbSession,
  type Queryable,
  runStatement,
  types,
  withDatabaseErrors,
} from './run-statement.ts'
import { runTransaction } from './run-transaction.ts'

/** Longest wait for a lock: while a table is changed, requests for it must not take all connections. */
const LOCK_TIMEOUT_MS = 10_000
/** Time limit of a statement, as in PocketBase, which then answers 400. */
const STATEMENT_TIMEOUT_MS = 30_000
const LOOK_UP_MS = 1_000
/** Postgres ends a transaction idle for this long: a proxy may keep the connection of a lost client open. */
const IDLE_TRANSACTION_MS = 60_000
/** A connection is replaced after this time, to free its prepared statements. */
const LIFETIME_MS = 3_600_000

const CONNECT_MS = 10_000
const KEEP_ALIVE_MS = 10_000
/** nice(2) value of embedded Postgres' backends that run clients' own filters and sorts. */
const CLIENT_NICENESS = 10

/** For this application_name, the SQL function `_announce` raises notices; for others it uses NOTIFY. */
const SERVER_NAME = 'pocketsms server'

function yieldProcessor(client: pg.ClientBase & { readonly processID?: number }): void {
  try {
    setPriority(client.processID!, CLIENT_NICENESS)
    // Linux also shares the CPU between autogroups (Unix sessions), one for each backend: sched(7)
    writeFileSync(`/proc/${client.processID}/autogroup`, String(CLIENT_NICENESS))
  } catch {
    // the backend has ended, or the system does not allow this
  }
}

export type AdmitConnection = (session: DbSession) => Promise<void>

/** Connections for the server's statements, and for those with clients' filters (time limit `clientMs`). */
export interface PoolSize {
  readonly ofServer: number
  readonly ofClients: number
  readonly clientMs: number
}

interface PostgresOptions {
  /** Checks each new connection. If set, this process passes on the announcements of SQL functions. */
  readonly admit?: AdmitConnection | undefined
  readonly listenUrl?: string
  readonly isReplica?: boolean
  readonly isEmbedded?: boolean
}

/**
 * Opens connection pools. They connect on first use, and again if a connection is lost or no longer answers.
 */
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
    options: formatPostgresOptions({
      ...SERVER_PLANNER,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    }),
    application_name: admit && !isReplica ? SERVER_NAME : 'pocketsms',
  }
  const primary = makeFailoverClients(url)
  const Client = isReplica ? pg.Client : primary.Client
  const onConnect = admit && ((client: pg.ClientBase) => admit(makeDbSession(client)))
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
  const lookUps = { ...settings, ...limits, options: formatPostgresOptions(LOOK_UP_PLANNER) }
  const shared = makeDbSession(pool as Queryable)
  const open = () => new Client({ ...lookUps, pipeline: true })
  const pipeline = openPipeline(open, LIFETIME_MS, onConnect, shared.query)
  const Direct = listenUrl === url ? Client : makeFailoverClients(listenUrl).Client
  const direct = { ...connection, connectionString: listenUrl }
  // parallel workers would not yield
  const slow = isEmbedded
    ? { options: formatPostgresOptions({ max_parallel_maintenance_workers: 0 }) }
    : {}
  const unhurried = makeLongWork(
    () => new Direct({ ...direct, ...slow, application_name: 'pocketsms long work' }),
    isEmbedded ? yieldProcessor : () => {},
  )
  const listening = () =>
    new Direct({ ...direct, query_timeout: CONNECT_MS, application_name: 'pocketsms listen' })
  const listener = openListener(listening, shared.query, primary.abandon, log)
  const forget = collectAnnouncements(pool, listener.announce)
  return {
    ...shared,
    lookUp: pipeline.query,
    clientQuery: makeDbSession(ofClients as Queryable).query,
    transaction: (work) => runTransaction(pool, work, forget),
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

/**
 * Runs each statement on its own connection, which `connected` may prepare. Postgres finishes running
 * statements even after `close`.
 */
function makeLongWork(open: () => pg.Client, connected: (client: pg.Client) => void) {
  const clients = new Set<pg.Client>()
  return {
    query: (text: string) =>
      withDatabaseErrors(async () => {
        const client = open()
        client.on('error', () => {}) // a running statement reports the error
        clients.add(client)
        try {
          await client.connect()
          connected(client)
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

const formatPostgresOptions = (settings: Readonly<Record<string, string | number>>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
