import { removeLeftoverUploads } from '../engine/files/temporary-upload.ts'
import { type Config, listServiceLinks } from '../platform/config.ts'
import { openServingDb } from '../platform/db/connect-database.ts'
import { DatabaseUnavailable } from '../platform/db/database-errors.ts'
import { findRoleWarning } from '../platform/db/role-warning.ts'
import type { WorkerMember } from '../platform/jobs/worker-member.ts'
import { createLogger, type Logger } from '../platform/log.ts'

/**
 * Opens the database and serves. Throws a UserError if it cannot. `workers`: if it is one of several. While
 * an embedded Postgres starts, the server's modules are imported.
 */
export async function runServer(
  config: Config,
  log: Logger = createLogger(config),
  workers?: WorkerMember,
) {
  if ((workers?.worker ?? 1) === 1)
    for (const name of listServiceLinks(process.env))
      log.warn(`ignored ${name}, which the platform has set for a service of another program`)
  await removeLeftoverUploads()
  const [database, { serveDatabase }] = await Promise.all([
    openServingDb(config, log),
    import('./serve-database.ts'),
  ])
  try {
    // another server's migration may end this connection; the next connection waits for the migration
    const warning = await findRoleWarning(database.forEverybody('server')).catch(ignoreUnavailable)
    if (warning) log.warn(warning)
    return await serveDatabase(config, database, log, workers)
  } catch (error) {
    await database.close()
    throw error
  }
}

function ignoreUnavailable(error: unknown): undefined {
  if (!(error instanceof DatabaseUnavailable)) throw error
}
