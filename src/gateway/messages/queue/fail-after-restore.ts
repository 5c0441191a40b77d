import { sql } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import { NOW, queries } from '../../../platform/db/queries.ts'
import { REASONS } from '../../base/message-status.ts'
import { failMessages } from './fail-messages.ts'

const BATCH = 5_000

const IS_ONCE = sql<boolean>`coalesce(repeat::text, 'null') = 'null' and coalesce(reminder::text, 'null') = 'null'`

/**
 * Fails unfinished campaigns of a restored backup, because messages may have been sent since the backup.
 * Pauses repeating campaigns and reminders instead; texts that reminders have sent since are not known.
 */
const endCampaigns = (db: Db) =>
  queries(db)
    .updateTable('campaigns')
    .set({ error: REASONS.restored, settled: true, audience: '[]', updated: NOW })
    .set({
      status: sql`case when ${IS_ONCE} then 'failed' else 'paused' end`,
      unknown_until: sql`case when coalesce(reminder::text, 'null') = 'null' then '' else ${NOW} end`,
    })
    .where('status', 'in', ['scheduled', 'repeating', 'sending', 'paused'])
    .execute()

/** Fails unfinished messages and campaigns of a restored backup: they may have been sent since the backup. */
export async function endUnfinishedTexts(db: Db): Promise<number> {
  await endCampaigns(db)
  const any = queries(db)
    .selectFrom('sms_dispatch')
    .select('message')
    .orderBy('message')
    .limit(sql.lit(BATCH))
    .forUpdate()
  let ended = 0
  for (;;) {
    if (!(await queries(db).selectFrom('sms_dispatch').limit(sql.lit(1)).executeTakeFirst()))
      return ended
    const paid = await failMessages(db, any, REASONS.restored)
    for (const { messages } of paid) ended += messages
  }
}
