import { availableParallelism } from 'node:os'
import type { Config } from '../config.ts'
import { countConnections } from '../db/pool-size.ts'

/** Minimum database connections of a worker. Clients' filters could occupy nearly all if there were fewer. */
const MIN_POOL = 4

/** How many workers a parent runs; undefined if this process serves alone. */
export const chooseWorkerCount = ({ workers }: Pick<Config, 'workers'>): number | undefined =>
  workers === 'auto' ? availableParallelism() : workers

/** The settings of one of `count` workers: limits are divided among them. 0 (no limit) stays 0. */
export function divideConfig(config: Config, count: number): Config {
  const connections = countConnections(config)
  const share = (limit: number) => Math.ceil(limit / count)
  return Object.freeze({
    ...config,
    databasePool: Math.max(Math.min(MIN_POOL, connections), share(connections)),
    maxConnections: share(config.maxConnections),
    maxConnectionsPerAddress: share(config.maxConnectionsPerAddress),
    maxStreams: share(config.maxStreams),
  })
}
