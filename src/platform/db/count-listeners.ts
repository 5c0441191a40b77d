import type { DbSession } from './backend.ts'

/** Number of servers that listen on a channel: the last statement of each names the channel. */
export async function countChannelListeners(
  db: Pick<DbSession, 'query'>,
  channel: string,
): Promise<number> {
  const { rows } = await db.query(
    `select count(*) from pg_stat_activity where datname = current_database() and position($1 in query) > 0 and application_name = 'pocketsms listen'`,
    [`listen "${channel}"`],
  )
  return Number(rows[0]?.[0])
}
