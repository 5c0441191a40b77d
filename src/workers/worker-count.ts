import { availableParallelism } from 'node:os'
import type { Config } from '../config.ts'
import { UserError } from '../errors.ts'

/** Below that, statements that clients chose would leave too few connections to all others. */
const MIN_POOL = 4

/** How many processes WORKERS asks for. Throws a UserError for several on the embedded database. */
export function workerCount(config: Pick<Config, 'workers' | 'databaseUrl'>): number {
  if (config.workers !== 1 && !config.databaseUrl)
    throw new UserError(
      'WORKERS needs Postgres: the embedded database serves one process. Set DATABASE_URL, or leave WORKERS out.',
    )
  return config.workers === 'auto' ? availableParallelism() : config.workers
}

/**
 * The settings of one of `count` workers: what is counted by each process by itself is divided among them. A
 * limit of 0 is none, and stays none.
 */
export function shareOf(config: Config, count: number): Config {
  const share = (limit: number) => Math.ceil(limit / count)
  return Object.freeze({
    ...config,
    databasePool: Math.max(Math.min(MIN_POOL, config.databasePool), share(config.databasePool)),
    maxConnections: share(config.maxConnections),
    maxConnectionsPerAddress: share(config.maxConnectionsPerAddress),
    maxStreams: share(config.maxStreams),
  })
}
