import { availableParallelism } from 'node:os'
import type { Config } from '../config.ts'

/** Below that, statements that clients chose would leave too few connections to all others. */
const MIN_POOL = 4

/** How many processes WORKERS asks for. */
export const workerCount = ({ workers }: Pick<Config, 'workers'>): number =>
  workers === 'auto' ? availableParallelism() : workers

/** The settings of one of `count` workers: limits per process are divided. 0 stays no limit. */
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
