import type { Db } from './open.ts'

/** How many connections listen on a channel, of all nodes; 0 where the database has one connection only. */
export async function countChannelListeners(db: Db, channel: string): Promise<number> {
  // a connection that listens says nothing else: see postgres.ts
  const { rows } = await db.query(
    `select count(*) from pg_stat_activity where datname = current_database() and query = $1`,
    [`listen "${channel}"`],
  )
  return Number(rows[0]?.[0])
}
