/** Settings of Postgres by name, as in postgresql.conf. */
export type PostgresSettings = Readonly<Record<string, string | number>>

const MB = 2 ** 20
const GB = 2 ** 30
/** Memory of the server, the connections of Postgres and the system, before there are more buffers. */
const OTHERS = 512 * MB

const clampNumber = (least: number, value: number, most: number) =>
  Math.min(Math.max(value, least), most)

/**
 * Settings for a machine with so much memory. Measured by bench/inside/embedded.ts at 25 texts a second over
 * 200,000 stored ones: with 128 MB of buffers instead of 64, Postgres and the server need 496 MB instead of
 * 438, so that a machine of 1 GB has 64. A container of 256 MB has 26: with 64, it is killed by a camera's
 * picture at 20 texts a second. Each page that changes is logged whole once after a checkpoint:
 * checkpoints each 2 min instead of 30 s logged 20 KB a text instead of 27. Here 15 min, or when the log is
 * full: a restart after a crash replays at most `max_wal_size`. Vacuum each 15 s instead of 60 s left 700
 * dead rows in the queues instead of 8,500.
 */
export function makePostgresSettings(memoryBytes: number): PostgresSettings {
  const buffers = clampNumber(Math.min(memoryBytes / 10, 64 * MB), (memoryBytes - OTHERS) / 8, GB)
  return {
    max_connections: 200,
    shared_buffers: `${Math.round(buffers / MB)}MB`,
    // more log, fewer checkpoints: 1 to 4 GB of disk
    max_wal_size: `${Math.round(clampNumber(GB, memoryBytes / 2, 4 * GB) / MB)}MB`,
    checkpoint_timeout: '15min',
    autovacuum_naptime: '15s',
    fsync: 'on',
    full_page_writes: 'on',
    // pocketsms logs failed statements itself, without their values
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
  }
}
