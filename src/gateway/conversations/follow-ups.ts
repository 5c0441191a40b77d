import { sql } from 'kysely'
import { noteChanges } from '../../engine/records/log-changes.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'

const MAX_DUE = 1_000

/** Unarchives conversations whose reminder is due, marks them unread and unanswered, and queues pushes. */
export async function bringBackDue(db: Db): Promise<void> {
  while ((await bringBackSome(db)) === MAX_DUE);
}

/** Brings back at most MAX_DUE conversations. `skip locked`: nodes do not wait for each other. */
async function bringBackSome(db: Db): Promise<number> {
  const changed = await queries(db)
    .with('due', (query) =>
      query
        .selectFrom('conversations')
        .select('id')
        .where('follow_up_at', '<>', sql.lit(''))
        .where('follow_up_at', '<=', NOW)
        .orderBy('follow_up_at')
        .limit(sql.lit(MAX_DUE))
        .forUpdate()
        .skipLocked(),
    )
    .with('written', (query) =>
      query
        .updateTable('conversations as c')
        .from('due')
        .set({ follow_up_at: '', unanswered: true, archived: false, updated: NOW })
        .set({ unread: sql<number>`greatest(c.unread, 1)` })
        .whereRef('c.id', '=', 'due.id')
        .returning(['c.id', 'c.user']),
    )
    .with('noted', noteChanges('update', 'conversations', 'ids'))
    .selectFrom('written as w')
    .select(({ fn }) => [
      fn.countAll<number>().as('conversations'),
      sql`push_queue(w."user", array_agg(w.id))`.as('queued'),
    ])
    .groupBy('w.user')
    .orderBy('w.user')
    .execute()
  return changed.reduce((sum, { conversations }) => sum + conversations, 0)
}
