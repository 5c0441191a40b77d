import type { Session } from './errors.ts'

/** How many servers listen on a channel. The last statement of a listening connection names its channels. */
export async function countChannelListeners(db: Pick<Session, 'query'>, channel: string): Promise<number> {
  const { rows } = await db.query(
    `select count(*) from pg_stat_activity where datname = current_database() and position($1 in query) > 0 and application_name = 'pocketsms listen'`,
    [`listen "${channel}"`],
  )
  return Number(rows[0]?.[0])
}
