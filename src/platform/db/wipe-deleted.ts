import type { Logger } from '../log.ts'
import { isSqlError, UNDEFINED_TABLE } from './database-errors.ts'
import { DATABASE_ROLE, readClusterUrl, SUPERUSER } from './embedded/cluster-access.ts'
import type { Db } from './open.ts'
import { openPostgres } from './postgres.ts'

// Postgres leaves bytes of deleted rows in its files. Measured: after a vacuum and two checkpoints, a deleted
// word was still in the free space of its table and its index, in pg_statistic, and in the log, whose files
// Postgres uses again.

type Say = (line: string) => void

/** Writes each table and its indexes to new files, one table after another. Locks a table meanwhile. */
export async function rewriteTables(db: Db, say: Say): Promise<void> {
  const { rows } = await db.query(`
    select relname, quote_ident(relname), pg_size_pretty(pg_total_relation_size(oid)) from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace order by relname`)
  for (const [name, quoted, size] of rows) {
    say(`${name}, ${size}`)
    await db.unhurried(`vacuum (full, analyze) ${quoted}`).catch((error) => {
      // a collection was deleted meanwhile
      if (!isSqlError(error, UNDEFINED_TABLE)) throw error
    })
  }
}

const FILES_AHEAD = `
select count(*) from pg_ls_waldir()
where name ~ '^[0-9A-F]{24}$' and name > pg_walfile_name(pg_current_wal_insert_lsn())`

/**
 * Overwrites the log of the embedded Postgres, and its statistics, which hold frequent values. A checkpoint
 * renames the log's old files for later use, with their bytes. Each switch to the next file fills the rest of
 * the present one with zeros.
 */
export async function scrubEmbedded(folder: string, log: Logger): Promise<void> {
  const url = new URL(readClusterUrl(folder, SUPERUSER))
  url.pathname = DATABASE_ROLE
  const postgres = openPostgres(url.href, { ofServer: 1, ofClients: 1, clientMs: 0 }, log, {
    isEmbedded: true,
  })
  try {
    const nextFile = async () => {
      await postgres.query(`select pg_logical_emit_message(false, 'pocketsms', 'scrub')`)
      await postgres.query('select pg_switch_wal()')
    }
    await postgres.unhurried('vacuum full pg_statistic')
    await nextFile()
    await postgres.unhurried('checkpoint')
    const { rows } = await postgres.query(FILES_AHEAD)
    for (let left = Number(rows[0]![0]); left >= 0; left--) await nextFile()
    await postgres.unhurried('checkpoint')
  } finally {
    await postgres.close()
  }
}
