import type { Db } from '../open.ts'
import { quoted } from './make-like.ts'
import { indexOfPartition, suffixOf } from './names.ts'
import { withShortLocks } from './short-locks.ts'
import { partitionsOf } from './state.ts'

const STATE = `
select i.indisvalid, exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid),
  exists (select from pg_inherits h where h.inhrelid = i.indexrelid)
from pg_index i where i.indexrelid = to_regclass(quote_ident($1))`

/**
 * Builds an index of a partitioned table beside the work on it, which Postgres does not do by itself: one of
 * the table alone, one concurrently for each partition, which is then attached. Goes on where another process
 * has ended.
 * @param sql `create index NAME on TABLE …`
 */
export async function buildOnPartitions(db: Db, table: string, name: string, sql: string): Promise<void> {
  if (!(await stateOf(db, name)))
    await withShortLocks(db, (tx) => tx.script(sql.replace(` on ${table} `, ` on only ${table} `)))
  for (const partition of await partitionsOf(db, table)) {
    const own = indexOfPartition(name, suffixOf(partition.name))
    const state = await stateOf(db, own)
    if (state?.isAttached) continue
    if (state?.isBeingBuilt) return
    if (state && !state.isValid) await db.unhurried(`drop index concurrently ${quoted(own)}`)
    if (!state?.isValid)
      await db.unhurried(
        sql
          .replace(/^create index \S+/m, `create index concurrently ${quoted(own)}`)
          .replace(` on ${table} `, ` on ${quoted(partition.name)} `),
      )
    await withShortLocks(db, (tx) => tx.script(`alter index ${quoted(name)} attach partition ${quoted(own)}`))
  }
}

async function stateOf(db: Db, index: string) {
  const { rows } = await db.query(STATE, [index])
  if (!rows[0]) return undefined
  const [isValid, isBeingBuilt, isAttached] = rows[0]
  return {
    isValid: isValid === true,
    isBeingBuilt: isBeingBuilt === true,
    isAttached: isAttached === true,
  }
}

const KEPT_BY_ALL = `
select count(*) > 0 and bool_and(exists (
  select from unnest($2::text[], $3::text[]) n (partition, name) join pg_index x on x.indexrelid = to_regclass(quote_ident(n.name))
  where n.partition = c.relname and x.indisunique))
from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass(quote_ident($1))`

/** Whether each partition of a table keeps a unique index by itself. */
export async function partitionsKeepUnique(db: Db, table: string, index: string): Promise<boolean> {
  const names = (await partitionsOf(db, table)).map(({ name }) => name)
  const own = names.map((name) => indexOfPartition(index, suffixOf(name)))
  const { rows } = await db.query(KEPT_BY_ALL, [table, names, own])
  return rows[0]?.[0] === true
}
