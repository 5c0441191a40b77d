import type { Config } from '../config.ts'
import { readMachineMemory } from '../tools/machine-memory.ts'
import type { PoolSize } from './postgres.ts'

const MB = 2 ** 20

/**
 * Connections to Postgres on a machine with this memory in bytes: each takes 6 to 14 MB. With 24, a
 * container of 512 MB was killed by ten users who attacked.
 */
export const choosePoolSize = (memoryBytes: number): number =>
  Math.min(Math.max(4, Math.round(memoryBytes / (64 * MB))), 24)

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
