import { UserError } from '../api-errors.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { DbSession } from './backend.ts'
import { DatabaseUnavailable, formatErrorHint, OutdatedServer } from './database-errors.ts'
import { openEmbedded } from './embedded/embedded.ts'
import { Database } from './open.ts'
import { computePoolSize } from './pool-size.ts'
import { type AdmitConnection, openPostgres } from './postgres.ts'
import { watchReplica } from './replica.ts'
import { openReplica } from './replica-connection.ts'
import { checkServerVersion } from './schema/oldest-server.ts'

/**
 * Opens the Postgres of `databaseUrl`, else the embedded one, and waits until it answers. Throws a UserError
 * if it cannot be used. `admit` checks each new connection of a server.
 */
export async function openDb(
  config: Config,
  log: Logger,
  admit?: AdmitConnection,
): Promise<Database> {
  const embedded = config.databaseUrl ? undefined : await openEmbedded(config.dataDir, log)
  const backend = openPostgres(config.databaseUrl ?? embedded!.url, computePoolSize(config), log, {
    admit,
    listenUrl: config.databaseListenUrl,
    isEmbedded: embedded !== undefined,
  })
  const close = async () => {
    await backend.close()
    await embedded?.close()
  }
  const database = new Database({ ...backend, close }, computePoolSize(config))
  try {
    await awaitServer(backend.query, log)
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

/** Opens the database, with the configured replica, for a server. Throws a UserError for a newer schema. */
export async function openServingDb(config: Config, log: Logger): Promise<Database> {
  const database = await openDb(config, log, checkServerVersion)
  const db = database.forEverybody('server')
  const { databaseReplicaUrl: url } = config
  if (url) {
    const open = () => openReplica(url, computePoolSize(config), log)
    database.readFrom(
      watchReplica((...statement) => db.lookUp(...statement), open, log),
      computePoolSize(config),
    )
  }
  return database
}

const OLDEST_SERVER = 150_000
const RETRY_MS = 1_000
const SAY_EVERY = 10
/** A database that has not answered for so long may not exist. */
const TYPO_MS = 60_000

/** Waits for Postgres. Throws a UserError if it is too old, refuses the login, or has a newer schema. */
async function awaitServer(query: DbSession['query'], log: Logger): Promise<void> {
  let typoAt = Date.now() + TYPO_MS
  for (let attempt = 0; ; attempt++) {
    try {
      const { rows } = await query('show server_version_num')
      const version = Number(rows[0]?.[0])
      if (version >= OLDEST_SERVER) return
      throw new UserError(
        `Postgres 15 or later is needed; DATABASE_URL leads to version ${Math.floor(version / 10_000)}.`,
      )
    } catch (error) {
      if (error instanceof OutdatedServer) throw new UserError(error.message)
      if (!(error instanceof DatabaseUnavailable)) throw explainConnectError(error)
      if (attempt % SAY_EVERY === 0)
        log.warn(`waiting for the database: ${formatErrorHint(error.cause) || 'no connection'}`)
      if (Date.now() > typoAt) {
        typoAt = Number.POSITIVE_INFINITY
        log.warn(
          'the database has not answered for a minute: is its address in DATABASE_URL right?',
        )
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

function explainConnectError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error
  const code = 'code' in error ? String(error.code) : ''
  return new UserError(
    code.startsWith('28')
      ? `The database refused to let us in: ${formatErrorHint(error)}. Check the user and password in DATABASE_URL.`
      : `The database cannot be used: ${formatErrorHint(error)}. Check DATABASE_URL.`,
  )
}
