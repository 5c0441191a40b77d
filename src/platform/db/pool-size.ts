import type { Config } from '../config.ts'
import { readMachineMemory } from '../tools/machine-memory.ts'
import type { PoolSize } from './postgres.ts'

/** Less memory than this is small, in bytes. */
const SMALL_MEMORY = 400 * 2 ** 20

/** Connections to Postgres on a machine with so much memory: each takes some 14 MB of Postgres's. */
export const choosePoolSize = (memoryBytes: number): number => (memoryBytes < SMALL_MEMORY ? 4 : 24)

/** Connections to Postgres: as DATABASE_POOL says, else by the memory of this machine. */
export const countConnections = ({ databasePool }: Pick<Config, 'databasePool'>): number =>
  databasePool ?? choosePoolSize(readMachineMemory())

/** A third of the connections are for statements that clients chose. */
export function computePoolSize(config: Config): PoolSize {
  const all = countConnections(config)
  const ofClients = Math.ceil(all / 3)
  return {
    ofClients,
    ofServer: Math.max(1, all - ofClients),
    clientMs: config.clientStatementSeconds * 1000,
  }
}
