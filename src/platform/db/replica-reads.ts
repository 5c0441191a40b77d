import { counts } from '../tools/process-counters.ts'
import type { Backend, Result } from './backend.ts'
import { DatabaseUnavailable, isSqlError } from './database-errors.ts'
import type { ReplicaConnection } from './replica-connection.ts'

/** SQLSTATEs after which the primary repeats a read: the replica canceled it, or lacks a schema change. */
const REPEATED = new Set(['40001', '40P01', '42703', '42P01', '42804', '42883', '0A000', '26000'])

/** Reads from the replica if there is one. Repeats on the primary what fails because of the replica. */
export function makeReadingBackend(
  primary: Backend,
  replica: () => ReplicaConnection | undefined,
): Backend {
  const read = async (work: (backend: Backend) => Promise<Result>): Promise<Result> => {
    const connection = replica()
    if (!connection) return work(primary)
    try {
      return await connection.run(work)
    } catch (error) {
      if (!isReplicaError(error)) throw error
      counts.replica.repeated++
      return work(primary)
    }
  }
  return {
    ...primary,
    query: (...statement) => read((backend) => backend.query(...statement)),
    lookUp: (...statement) => read((backend) => backend.lookUp(...statement)),
    clientQuery: (...statement) => read((backend) => backend.clientQuery(...statement)),
  }
}

const isReplicaError = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || (isSqlError(error) && REPEATED.has(error.code))
